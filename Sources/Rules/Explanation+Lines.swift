internal import Authentication
internal import Bytes
internal import HTTP

extension Explanation {
    /// One line of the answer: what it is about, and what is said of it.
    package struct Line: Hashable, Sendable {
        /// `listener`, `access`, `route`, `names`, `opened`, `trust`, `shown`, `origin`, `parent`, `rule`, `not`, `fields`, `ahead`,
        /// `challenge`, `answer`, `then` or `never`.
        package let topic: String
        /// Never shows a secret.
        package let text: String
    }

    /// How many of the rules that aren't about the request are listed, and of those that never act.
    static let listed = 20

    /// The answer in words.
    package var lines: [Line] {
        var lines = [Line(topic: "listener", text: listenerText)] + accessLines
        lines += [Line(topic: "route", text: routeText)] + nameLines + trustLines
        if let origin {
            lines += Self.lines(of: origin, isProxy: false)
        } else {
            let text =
                "\(question.origin.authorityWithPort) is tunnelled: the proxy sees no request inside, and no rule for it acts"
            lines.append(Line(topic: "origin", text: text))
        }
        if let parent {
            lines += Self.lines(of: parent, isProxy: true)
        } else if !question.proxyChallenges.isEmpty {
            lines.append(Line(topic: "parent", text: "none on this route: a 407 would be 502 http_protocol_error"))
        }
        return lines + neverActing.prefix(Self.listed).map { Line(topic: "never", text: text(of: $0)) }
    }

    private func text(of found: NeverActing) -> String {
        switch found.subject {
        case .rule(let index): "rules[\(index)]\(Self.suffix(found.place)): \(found.message)"
        case .route(let index): "routes[\(index)]\(Self.suffix(found.place)): \(found.message)"
        }
    }

    private static func lines(of side: Side, isProxy: Bool) -> [Line] {
        let way =
            side.facts.isSecure ? "counts as secure" : "is not secure: basic, bearer, header and ntlm need 'cleartext'"
        var lines = [
            Line(
                topic: isProxy ? "parent" : "origin",
                text:
                    "\(side.isSOCKS ? "socks5" : side.server.scheme.text)://\(side.server.authority); the way to it \(way)"
            )
        ]
        lines += side.applying.map { Line(topic: "rule", text: text(of: $0)) }
        lines += side.others.prefix(listed).map { other in
            Line(topic: "not", text: "\(name(of: other.rule)): \(text(of: other.mismatch, other.rule))")
        }
        if side.others.count > listed {
            lines.append(
                Line(topic: "not", text: "\(side.others.count - listed) more rules are about other requests")
            )
        }
        lines += fieldsLines(of: side)
        let ahead = side.ahead.map { "\(name(of: $0)) sends '\($0.credential?.name ?? "")' with the first request" }
        lines.append(Line(topic: "ahead", text: ahead ?? "nothing, until a space has been learned"))
        return lines + decisionLines(of: side, isProxy: isProxy)
    }

    private static func name(of rule: Rule) -> String { rule.name + suffix(rule.place) }

    static func suffix(_ place: SourcePlace) -> String {
        place.line == 0 ? "" : " (\(place.file.isEmpty ? "line " : "\(place.file):")\(place.line))"
    }

    private static func text(of applying: Applying) -> String {
        let rule = applying.rule
        var text = "\(name(of: rule)): "
        if rule.isForHeader {
            return text + "is for the fields \(list(rule.fieldNames)) of '\(rule.credential?.name ?? "")'"
        }
        guard !applying.methods.isEmpty else { return text + "never decides here, the rules before it do" }
        switch rule.disposition {
        case .useCredential(let credential):
            let methods = AuthenticationMethod.allCases.filter { applying.methods.contains($0) }
            text += "answers \(list(methods.map(\.name))) with '\(credential.name)'"
            let held = methods.compactMap { method in
                applying.objections[method].map { "\(method.name) is held back, \($0.code)" }
            }
            if !held.isEmpty { text += " (\(held.joined(separator: "; ")))" }
        case .performDefaultHandling: text += "leaves the challenge to the client"
        case .rejectProtectionSpace: text += "passes the space over"
        case .cancelAuthenticationChallenge: text += "ends the exchange with 502"
        }
        switch rule.space.realm {
        case .any: break
        case .oneOf(let realms): text += ", in realm \(realms.map(quoted).joined(separator: " or "))"
        case .prefix(let prefix): text += ", in realms that begin with \(quoted(prefix))"
        }
        return text
    }

    /// "a, b and c".
    static func list(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func text(of mismatch: Mismatch, _ rule: Rule) -> String {
        switch mismatch {
        case .server: rule.space.isProxy ? "is about parent proxies" : "is about origins, not parent proxies"
        case .host: "another host"
        case .port: "another port; without 'port' it is the protocol's own"
        case .scheme: "another protocol"
        case .client: "another client"
        case .path: "another path"
        case .ambiguousPath: "names a path, and servers don't agree on what this one is (path.ambiguous)"
        }
    }

    /// A text of a peer or of the file in quotes, shown without what a terminal would obey.
    static func quoted(_ bytes: [UInt8]) -> String {
        "\"\(printable(bytes) { $0 == "\"" || $0 == "\\" })\""
    }

    /// A text without what a terminal would obey, and with further characters escaped.
    static func printable(_ bytes: [UInt8], escaping isSpecial: (Unicode.Scalar) -> Bool = { _ in false }) -> String {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
            default: isSpecial(scalar) ? "\\\(scalar)" : String(scalar)
            }
        }.joined()
    }
}
