internal import Bytes
internal import HTTP

/// How many more hops a request may take (RFC 9110 s.7.6.2); of several fields the least counts.
enum MaxForwards: Equatable {
    /// Nothing is said of it.
    case absent
    /// It ends here.
    case none
    /// So many are left, at least one.
    case left(UInt64)
    /// It is no number.
    case malformed

    init(_ head: borrowing RequestHead) {
        self = .absent
        var least: UInt64?
        var next = head.fields.first(.maxForwards)
        while let index = next {
            guard let hops = Self.hops(head.fields.value(index)) else {
                self = .malformed
                return
            }
            least = min(hops, least ?? .max)
            next = head.fields.next(.maxForwards, after: index)
        }
        if let least { self = least == 0 ? .none : .left(least) }
    }

    /// The number, the greatest one for what is beyond it; nil for anything else.
    private static func hops(_ value: Span<UInt8>) -> UInt64? {
        guard !value.isEmpty else { return nil }
        for index in value.indices where !ASCII.isDigit(value[index]) { return nil }
        return ASCII.decimal(value) ?? .max
    }
}
