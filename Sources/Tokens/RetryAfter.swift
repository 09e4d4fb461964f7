package import Bytes
package import HTTP

/// How long a server asks to be left alone [RFC 9110, section 10.2.3].
package enum RetryAfter {
    /// Reads a value, seconds or a date, at `unixSeconds`; nil where it is neither. A moment that has passed is 0.
    package static func nanoseconds(_ value: Span<UInt8>, unixSeconds: Int64) -> Nanoseconds? {
        let longest: UInt64 = 10 * 365 * 86_400
        if let seconds = ASCII.decimal(value) { return .seconds(min(seconds, longest)) }
        guard let date = HTTPDate.unixSeconds(value) else { return nil }
        return .seconds(min(UInt64(max(0, date - unixSeconds)), longest))
    }

    /// What the first such field of a response asks for.
    package static func nanoseconds(in fields: Fields, unixSeconds: Int64) -> Nanoseconds? {
        guard let line = fields.first(named: "Retry-After") else { return nil }
        return nanoseconds(fields.value(line), unixSeconds: unixSeconds)
    }
}
