extension SchemaCheck {
    /// Tells an unknown key with what was probably meant by it, and returns the keys that aren't missing therefore.
    mutating func tellUnknown(
        _ entry: YAMLEntry,
        _ name: String,
        after before: KeysBefore,
        in node: YAMLNode,
        _ section: SchemaSection,
        _ place: Place
    ) -> Set<String> {
        let mark = entry.key.start
        let suggestion = Self.suggestion(for: name, in: section)
        let isLoose = node.isFlow && entry.value.isEmptyPlain
        if place.isHidden {
            // The key may be a piece of the secret itself: `{ value: pass,word }`.
            let cure =
                suggestion.map { "; did you mean '\($0)'?" }
                ?? "; a text with a comma, a colon or a bracket in it must be quoted"
            collector.error(mark, "unknown key in a secret\(cure)")
            return []
        }
        if let key = Self.unseparatedKey(name, section) {
            let what =
                name.dropFirst(key.count).first == ":" ? "a blank is missing behind the colon" : "a colon is missing"
            collector.error(mark, "\(what): write '\(key): …'")
            return [key]
        }
        // A loose text in a credential may be its password.
        let isSuspect = before.hasSecret || (isLoose && (before.hasUnknown || section === Schema.credential))
        if suggestion == nil, node.isFlow, isSuspect {
            collector.error(
                mark,
                "unknown key in \(section.title); a text with a comma, a colon or a bracket in it must be quoted"
            )
            return []
        }
        return tellUnknown(name, at: mark, suggestion, section, isLoose: isLoose && before.hasAny)
    }

    private mutating func tellUnknown(
        _ name: String,
        at mark: Mark,
        _ suggestion: String?,
        _ section: SchemaSection,
        isLoose: Bool
    ) -> Set<String> {
        // What isn't a word is no key that was misspelt, and may be anything.
        let isWord = name.allSatisfy { $0.isLetter || $0.isNumber || "_-.:".contains($0) }
        let unknown = "unknown key\(isWord ? " " + Quoting.quoted(name) : "") in \(section.title)"
        if let suggestion {
            let key = String(suggestion.prefix { $0 != " " && $0 != ":" })
            let rest = suggestion.contains(" (") ? suggestion.drop { $0 != " " } : ""
            let shown = rest.isEmpty ? suggestion : key
            collector.error(mark, "\(unknown); did you mean '\(shown)'\(rest)?")
            return [key]
        }
        if let elsewhere = Self.elsewhere(name, section) {
            collector.error(mark, "\(unknown); \(elsewhere)")
            return section === Schema.rule ? ["space"] : []
        }
        if isLoose {
            collector.error(mark, "\(unknown); a text with a comma in it must be quoted")
        } else {
            collector.error(mark, "\(unknown); its keys are \(section.keys.map(\.name).joined(separator: ", "))")
        }
        return []
    }

    private static func suggestion(for name: String, in section: SchemaSection) -> String? {
        let folded = Suggestion.fold(name)
        let known = section.keys.map(\.name)
        if let same = known.first(where: { Suggestion.fold($0) == folded }) { return same }
        if let meant = section.synonyms.first(where: { Suggestion.fold($0.key) == folded }) { return meant.value }
        return Suggestion.nearest(to: name, in: known)
            ?? Suggestion.nearest(to: name, in: section.synonyms.keys.sorted()).flatMap { section.synonyms[$0] }
    }

    /// `{host:a}` and `{host a}` are one key; what stands behind isn't repeated where it may be a secret.
    private static func unseparatedKey(_ name: String, _ section: SchemaSection) -> String? {
        name.firstIndex { ": =".contains($0) }.flatMap { section.key(String(name[..<$0]))?.name }
    }

    /// A key that belongs to another section.
    private static func elsewhere(_ name: String, _ section: SchemaSection) -> String? {
        if section === Schema.rule, Schema.space.key(name) != nil { return "it belongs under 'space'" }
        if section === Schema.space, Schema.rule.key(name) != nil {
            return "it belongs to the rule, beside 'space'"
        }
        if section === Schema.credential, ["host", "port", "path", "method", "url"].contains(name) {
            return "a rule says where a credential is used: rules: [{ space: { host: … }, use: NAME }]"
        }
        let owners: [(SchemaSection, String)] = [
            (Schema.rule, "rules"), (Schema.space, "rules (under 'space')"), (Schema.route, "routes"),
            (Schema.trust, "trust"), (Schema.timeouts, "timeouts"), (Schema.limits, "limits"),
            (Schema.access, "access"), (Schema.log, "log"), (Schema.http, "http"), (Schema.top, "the top level"),
        ]
        let owner = owners.first { $0.0 !== section && $0.0.key(name) != nil }
        return owner.map { "it belongs to \($0.1)" }
    }
}

/// What stood in a mapping before a key: the key may be the rest of a secret with a comma in it.
struct KeysBefore {
    private(set) var hasAny = false
    /// One that asks for a secret, or sounds like it.
    private(set) var hasSecret = false
    private(set) var hasUnknown = false

    mutating func insert(_ name: String, _ section: SchemaSection) {
        hasAny = true
        if let key = section.key(name) {
            hasSecret = hasSecret || key.type.isSecret || key.isHidden
        } else {
            hasUnknown = true
            hasSecret = hasSecret || Masking.soundsSecret(name)
        }
    }
}
