/// Where a credential is used, in the three grains that the ledger needs.
package struct LedgerPlace: Hashable, Sendable {
    /// Who judges it: `origin http://h:80` or `proxy http://p:3128`.
    package let server: String
    /// What a confirmed credential is withheld for (A-7c): an origin's directory, or the origin asked of a parent.
    package let target: String
    /// The path of the request, for a value that was sent ahead and never challenged (A-6b).
    package let path: String

    /// A place; the texts are compared as they are, so they have to be in one spelling.
    package init(server: String, target: String, path: String) {
        self.server = server
        self.target = target
        self.path = path
    }
}

/// An exchange that asked for a credential.
package struct Waiter: Hashable, Sendable {
    /// The loop that runs it.
    package let loop: Int
    /// Its number, unique in its loop.
    package let exchange: UInt64

    /// The exchange of this number on this loop.
    package init(loop: Int, exchange: UInt64) {
        self.loop = loop
        self.exchange = exchange
    }
}
