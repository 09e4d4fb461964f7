package import Authentication
package import Rules

/// What tells the destinations of one origin apart: the way to it, and what of ours one client's connections may use.
package struct DestinationTerms {
    /// The hops in the order of fail-over; nil: as the route has them.
    package var hops: [NextHop]?
    /// Which of the hops it goes by.
    package var place = 0
    /// The certificate that the origin may be shown.
    package var own: Credential?
    /// The certificates that its parents may be shown, that of the last of a chain first.
    package var parents: [Credential?] = []
    /// The rules of the parents' that are for this client, where some aren't for all.
    package var parentRules: [Int] = []

    /// What is dialled, where the kernel redirected the client's connection (A-22).
    package var redirection: Redirection?

    package init() {}

    /// No credential of ours may go there (A-22).
    package var isDoubtful: Bool { redirection?.isDoubtful == true }

    /// Tells them apart by names, none of which holds a line feed.
    package var key: String {
        let names = hops.map { $0.map(\.name).joined(separator: "\n") } ?? ""
        let certificates = parents.contains { $0 != nil } ? parents.map { $0?.name ?? "" }.joined(separator: "\n") : ""
        return "\(place) \(own?.name ?? "")\n\(certificates)\n\(parentRules)\n\(names)"
            + (redirection.map { "\n\($0.address) \($0.isDoubtful)" } ?? "")
    }
}

extension NextHop {
    /// The parent's name, or `direct`, which no parent is called.
    package var name: String {
        switch self {
        case .direct: "direct"
        case .parent(let parent): parent.name
        }
    }
}
