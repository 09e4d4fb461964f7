/// Looks for the empty line that ends a head, and never looks at a byte twice, so that a head dripping in costs linear time.
package struct HeadScanner: Sendable {
    /// How many bytes have been looked at.
    package private(set) var scanned = 0
    /// Whether a line has ended in what has been looked at.
    package private(set) var sawLine = false
    private var isAtLineStart: Bool
    private var isBehindCarriageReturn = false

    /// A scanner at the start of a head or, with `atFieldSection`, at that of its field section, which may be empty.
    package init(atFieldSection: Bool = false) {
        isAtLineStart = atFieldSection
    }

    /// Looks at what came behind the bytes of earlier calls; answers whether an empty line (LF LF or LF CR LF) has been met.
    package mutating func scan(_ bytes: Span<UInt8>) -> Bool {
        while scanned < bytes.count {
            let byte = bytes[scanned]
            scanned &+= 1
            if byte == .lineFeed {
                if isAtLineStart { return true }
                sawLine = true
                isAtLineStart = true
                isBehindCarriageReturn = false
            } else if byte == .carriageReturn && isAtLineStart && !isBehindCarriageReturn {
                isBehindCarriageReturn = true
            } else {
                isAtLineStart = false
                isBehindCarriageReturn = false
            }
        }
        return false
    }

    /// Starts again with the next head.
    package mutating func reset() {
        self = HeadScanner()
    }
}
