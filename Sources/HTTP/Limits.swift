/// The bounds of what is read of one message beside its body.
package struct Limits: Equatable, Sendable {
    /// The bytes of a head with its empty line; beyond: 431 (a response: 502). The same bound holds for a trailer section.
    package var head: Int
    /// The field lines of a head or trailer section; beyond: 431 (502).
    package var fields: Int
    /// The bytes of a request-target; beyond: 414.
    package var target: Int
    /// The bytes of a method; beyond: 501 [RFC 9112 s.3].
    package var method = 64
    /// The bytes of one chunk's size and extensions; beyond: 400 (502).
    package var chunkLine = 4096

    /// The bounds given, by default those of the rule file's `limits`.
    package init(head: Int = 64 * 1024, fields: Int = 200, target: Int = 16 * 1024) {
        self.head = head
        self.fields = fields
        self.target = target
    }
}
