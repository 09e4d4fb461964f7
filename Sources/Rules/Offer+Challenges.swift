package import Authentication
package import HTTP

extension Offer {
    /// The challenges of a response that are offers: of a known method, readable, and such that an answer can be written.
    ///
    /// `server` is the origin that asks, or with `isProxy` the parent.
    package static func all(
        in challenges: [AuthenticationChallenge],
        from server: Origin,
        isProxy: Bool
    ) -> [Offer] {
        challenges.enumerated().compactMap { index, challenge in
            guard challenge.isReadable, let method = challenge.method else { return nil }
            let digest = method == .digest ? DigestChallenge(challenge)?.strength : method.strength
            guard let strength = digest else { return nil }
            let space =
                isProxy
                ? ProtectionSpace(parent: server, realm: challenge.realm, method: method)
                : ProtectionSpace(origin: server, realm: challenge.realm, method: method)
            return Offer(index: index, space: space, strength: strength)
        }
    }
}
