/// A rule or a route that never comes to act, and why.
package struct NeverActing: Hashable, Sendable {
    /// What it is about, by its place in file order.
    package enum Subject: Hashable, Sendable {
        case rule(Int)
        case route(Int)
    }

    /// Why it never acts.
    package enum Reason: Hashable, Sendable {
        /// An earlier one, which stands there, matches all that it does.
        case hidden(by: SourcePlace)
        /// The host's requests are https, which is neither opened, nor what a route upgrades to, nor a fixed origin.
        case tunnelled
        /// It is about http, and the route that stands there upgrades all of that to https (R-4).
        case upgraded(by: SourcePlace)
        /// All that it answers with this credential is held back for want of TLS (A-14).
        case heldBack(credential: String, methods: MethodSet)
        /// It is about a parent, and no parent has its host.
        case noParent
        /// It is about a parent that listens on these other ports.
        case parentPort([UInt16])
    }

    /// What never acts.
    package let subject: Subject
    /// Where that stands.
    package let place: SourcePlace
    /// Why.
    package let reason: Reason

    private func line(of other: SourcePlace) -> String {
        (other.file == place.file ? "" : "\(other.file), ") + "line \(other.line)"
    }

    /// One sentence that says what it is and why it never acts, but not where it stands.
    package var message: String {
        switch reason {
        case .hidden(let earlier):
            let what = if case .route = subject { "this route is never taken" } else { "this rule never acts" }
            return "\(what): the one in \(line(of: earlier)) matches all that it does"
        case .upgraded(let route):
            return
                "this rule never acts: the route in \(line(of: route)) takes http to this host over https; leave 'protocol' out"
        case .tunnelled: return "this rule never acts: an https host is tunnelled, the proxy sees none of its requests"
        case .heldBack(let credential, let methods):
            let words = methods.words
            let go = words.count == 1 ? "goes" : "go"
            return
                "'\(credential)' is never sent here: \(Explanation.list(words)) \(go) over TLS only unless "
                + "'cleartext: [\(words.joined(separator: ", "))]' stands in the rule"
        case .noParent: return "this rule never acts: no proxy under 'proxies' has this host"
        case .parentPort(let ports):
            return "this rule never acts: the proxy's port is \(ports.map { "\($0)" }.joined(separator: " or "))"
        }
    }
}
