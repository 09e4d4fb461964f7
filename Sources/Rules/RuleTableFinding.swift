/// Something in a rule file that is legal and useless, or not legal only in view of the whole file.
package struct RuleTableFinding: Hashable, Sendable {
    /// What it is about; rules and routes by their place in file order, hosts by their place in the pattern list.
    package enum Subject: Hashable, Sendable {
        case rule(Int)
        case route(Int)
        case credential(String)
        case parent(String)
    }

    /// What is found.
    package enum Kind: Hashable, Sendable {
        /// An earlier rule or route, by its place, matches all that this one does.
        case hidden(by: Int)
        /// The host's requests are https, which is tunnelled.
        case tunnelled
        /// All that it answers is held back for want of TLS (A-14).
        case heldBack
        /// It is about a parent, and no parent has its host.
        case noParent
        /// It is about a parent that listens on other ports.
        case parentPort([UInt16])
        /// The host at that place is that of a parent, and the rule isn't about parents.
        case parentHost(String, pattern: Int)
        /// Nothing uses it.
        case unused
        /// A password for the hosts of many owners, as `*` or `*.com`.
        case tooWide(pattern: Int)
    }

    /// What it is about.
    package let subject: Subject
    /// What is found.
    package let kind: Kind

    /// Whether the file is refused for it.
    package var isError: Bool {
        if case .tooWide = kind { true } else { false }
    }

    /// Whether it says that a rule or a route never comes to act.
    package var neverActs: Bool {
        switch kind {
        case .hidden, .tunnelled, .heldBack, .noParent, .parentPort: true
        case .parentHost, .unused, .tooWide: false
        }
    }

    /// One sentence without a name of its subject; `line` gives the line of an earlier rule or route by its place.
    package func message(line: (Int) -> Int) -> String {
        switch kind {
        case .hidden(let earlier):
            if case .route = subject {
                return "this route is never taken: the one in line \(line(earlier)) matches all that it does"
            }
            return "this rule never acts: the one in line \(line(earlier)) matches all that it does"
        case .tunnelled: return "this rule never acts: an https host is tunnelled, the proxy sees none of its requests"
        case .heldBack: return "this rule never acts: basic goes over TLS only unless 'cleartext: [basic]' stands here"
        case .noParent: return "this rule never acts: no proxy under 'proxies' has this host"
        case .parentPort(let ports):
            return "this rule never acts: the proxy's port is \(ports.map { "\($0)" }.joined(separator: " or "))"
        case .parentHost(let name, _):
            return "this is the host of the proxy '\(name)': a rule for its 407 needs 'proxy: true' in the space"
        case .unused:
            if case .parent(let name) = subject { return "no route goes by the proxy '\(name)'" }
            if case .credential(let name) = subject { return "nothing uses the credential '\(name)'" }
            return "nothing uses this"
        case .tooWide: return "a password for hosts of many owners is given to whoever asks for it; name the hosts"
        }
    }
}
