/// The cnonce and the counts of one nonce, shared by all connections that its server hands it to [RFC 7616, section 3.4].
///
/// A server that gives each connection a nonce of its own is the rule; one that gives many the same gets no count twice.
package struct NonceUse {
    /// Random text, kept while the nonce is used.
    package let cnonce: [UInt8]
    /// The next count, from 1 on; nil when all were used.
    let takeCount: () -> UInt32?

    /// A use whose counts `takeCount` gives; it is called for each value.
    package init(cnonce: [UInt8], takeCount: @escaping () -> UInt32?) {
        self.cnonce = cnonce
        self.takeCount = takeCount
    }

    /// A use of one connection alone.
    package init(cnonce: [UInt8], firstCount: UInt32 = 1) {
        var next: UInt32? = firstCount
        self.init(cnonce: cnonce) {
            defer { next = next.flatMap { $0 == .max ? nil : $0 + 1 } }
            return next
        }
    }
}

@available(*, unavailable)
extension NonceUse: Sendable {}
