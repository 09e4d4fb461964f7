package import Bytes

/// The name of one exchange in the logs.
package struct RequestID: Hashable, Sendable {
    /// The number behind the sixteen hex digits.
    package let value: UInt64

    /// Appends sixteen lower-case hex digits.
    package func append(into buffer: inout ByteBuffer) {
        buffer.append(hex: value, width: 16)
    }
}

/// The ids of one loop, each once in 2⁶⁴.
package struct RequestIDSequence: Sendable {
    private var state: UInt64

    /// Begins at a place of its own; `seed` is random.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next id.
    package mutating func next() -> RequestID {
        // An odd step visits every number; it is the golden ratio's, so that neighbours look different.
        state &+= 0x9e37_79b9_7f4a_7c15
        return RequestID(value: state)
    }
}
