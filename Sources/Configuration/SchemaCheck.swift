/// Walks a tree along the schema and tells everything that doesn't fit: unknown, duplicate and missing keys, wrong kinds
/// of values, wrong texts, and parts that aren't built yet.
struct SchemaCheck {
    /// What holds for a value by where it stands.
    struct Place {
        /// The key under which it stands, for messages.
        var key: String
        /// Inside a secret: nothing from the file is repeated.
        var isHidden = false
        /// The title of the section around it.
        var section: SchemaSection?
    }

    var collector: DiagnosticCollector

    mutating func check(_ node: YAMLNode, _ type: SchemaType, _ place: Place) {
        if node.isFaulty { return }
        switch node.content {
        case .scalar(let text, _): check(scalar: node, text, type, place)
        case .sequence(let elements):
            guard let element = type.element else { return tellUnwantedList(node, type, place) }
            for node in elements { check(node, element, place) }
        case .mapping(let entries):
            if let section = type.section {
                var place = place
                place.isHidden = place.isHidden || section === Schema.secretSection
                check(entries, in: node, section, place)
            } else if let member = type.member {
                check(entries, members: member, place)
            } else {
                tellUnwantedMapping(node, entries, type, place)
            }
        }
    }

    // MARK: scalars

    private mutating func check(scalar node: YAMLNode, _ text: String, _ type: SchemaType, _ place: Place) {
        if node.isEmptyPlain {
            return collector.error(node.start, Self.emptyMessage(type, place))
        }
        if type.isSecret { return collector.error(node.start, Self.bareSecretMessage(text)) }
        guard let scalar = type.scalar else {
            let cure = type.element != nil ? "; begin each entry with '- '" : ""
            return collector.error(node.start, "'\(place.key)' must be \(type.expected)\(cure)")
        }
        if case .nonEmptyText = scalar, type.section != nil, node.isPlain, text.hasPlaceholder {
            return collector.error(node.start, "variables aren't filled in here: write { env: NAME }")
        }
        guard let problem = scalar.problem(text, isPlain: node.isPlain) else { return }
        let message = problem.message
        if place.isHidden {
            collector.error(node.start, scalar.quotesNothing ? message : "must be \(type.expected)")
        } else {
            let begins = message.hasPrefix("must ") ? "'\(place.key)' " : "'\(place.key)': "
            collector.error(node.start, message.hasPrefix("'\(place.key)'") ? message : begins + message)
        }
    }

    private static func emptyMessage(_ type: SchemaType, _ place: Place) -> String {
        if type.isSecret || (place.isHidden && place.key == "value") {
            return "the secret is empty: quote it if it begins with '#'; one that is empty on purpose is value: \"\""
        }
        let mayBeLeftOut = type.element != nil || type.section != nil || type.member != nil
        return "nothing is written under '\(place.key)'" + (mayBeLeftOut ? "; leave the key out" : "")
    }

    private static func bareSecretMessage(_ text: String) -> String {
        if text.hasPlaceholder || text.hasPrefix("$") {
            return "variables and templates aren't filled in here: write { env: NAME }"
        }
        return "a secret says where it is found: { file: PATH }, { env: NAME } or { systemd: NAME }; "
            + "{ value: TEXT } holds it in this file"
    }

    // MARK: mappings

    private mutating func check(
        _ entries: [YAMLEntry],
        in node: YAMLNode,
        _ section: SchemaSection,
        _ place: Place
    ) {
        var seen: [String: Mark] = [:]
        var meant: Set<String> = []
        var before = KeysBefore()
        for entry in entries {
            guard let name = keyText(entry, place) else { continue }
            defer { before.insert(name, section) }
            if let first = seen[name] {
                let shown = place.isHidden && section.key(name) == nil ? "this key" : Quoting.quoted(name)
                collector.error(entry.key.start, "\(shown) stands twice; the first is in line \(first.line + 1)")
                continue
            }
            seen[name] = entry.key.start
            guard let key = section.key(name) else {
                meant.formUnion(tellUnknown(entry, name, after: before, in: node, section, place))
                continue
            }
            var inner = Place(key: name, section: section)
            inner.isHidden = place.isHidden || key.isHidden || key.type.isSecret
            check(entry.value, key.type, inner)
        }
        for key in section.keys where key.isRequired && seen[key.name] == nil && !meant.contains(key.name) {
            let expected = key.type.scalar == nil && key.type.element == nil ? "" : ": \(key.type.expected)"
            collector.error(node.start, "\(section.title) needs '\(key.name)'\(expected)")
        }
    }

    private mutating func check(_ entries: [YAMLEntry], members: SchemaType, _ place: Place) {
        var seen: [String: Mark] = [:]
        for entry in entries {
            guard let name = keyText(entry, place) else { continue }
            if let first = seen[name] {
                let shown = place.isHidden ? "this key" : Quoting.quoted(name)
                collector.error(entry.key.start, "\(shown) stands twice; the first is in line \(first.line + 1)")
                continue
            }
            seen[name] = entry.key.start
            if name.isEmpty { collector.error(entry.key.start, "a name under '\(place.key)' is empty") }
            var inner = place
            inner.key = place.isHidden ? place.key : name
            inner.isHidden = place.isHidden || members.isSecret
            check(entry.value, members, inner)
        }
    }

    /// The text of a key; tells what is wrong where it is none.
    private mutating func keyText(_ entry: YAMLEntry, _ place: Place) -> String? {
        if entry.key.isFaulty { return nil }
        if collector.sources[entry.key.start.file].isExplicitKey(entry.key) {
            collector.error(entry.key.start, "a text that begins with '?' must be quoted")
            return nil
        }
        if let text = entry.key.text { return text == "<<" && entry.key.isPlain ? nil : text }
        if entry.key.entries != nil {
            collector.error(
                entry.key.start,
                "variables and templates aren't filled in here: name the variable, { env: NAME }"
            )
        } else {
            collector.error(entry.key.start, "a key must be a text")
        }
        return nil
    }

    private mutating func tellUnwantedList(_ node: YAMLNode, _ type: SchemaType, _ place: Place) {
        let isSecretText = place.isHidden && node.isFlow && type.scalar != nil
        collector.error(
            node.start,
            isSecretText
                ? "a text that begins with '[' must be quoted"
                : "'\(place.key)' takes one value, not a list: \(type.expected)"
        )
    }

    private mutating func tellUnwantedMapping(
        _ node: YAMLNode,
        _ entries: [YAMLEntry],
        _ type: SchemaType,
        _ place: Place
    ) {
        guard let first = entries.first, keyText(first, place) != nil else { return }
        if case .client = type.scalar, entries.count == 1, let key = first.key.text, let value = first.value.text {
            collector.error(node.start, "write \(key):\(value) without a blank behind the colon")
        } else if place.isHidden, node.isFlow, type.scalar != nil {
            collector.error(node.start, "a text that begins with '{' must be quoted")
        } else if type.element?.section != nil {
            collector.error(node.start, "'\(place.key)' is a list: begin each entry with '- '")
        } else {
            collector.error(node.start, "'\(place.key)' must be \(type.expected)")
        }
    }
}
