internal import Bytes
internal import HTTP

/// A reference that says its origin, with or without the scheme [RFC 3986 s.4.1, s.4.2].
struct OriginReference {
    let origin: Origin
    /// Where what stands behind the authority begins.
    let pathStart: Int

    /// Reads the beginning of `value`; one without a scheme has that of `base`. Nil where it says no origin, or has a login.
    static func read(_ value: Span<UInt8>, base: Scheme) -> OriginReference? {
        var scheme = base
        var start = 0
        for (name, candidate) in [("http:", Scheme.http), ("https:", .https)] {
            let length = name.utf8.count
            guard value.count >= length, ASCII.equalsIgnoringCase(value.extracting(0..<length), name) else { continue }
            scheme = candidate
            start = length
        }
        guard value.count >= start + 2, value[start] == UInt8(ascii: "/"), value[start + 1] == UInt8(ascii: "/") else {
            return nil
        }
        let first = start + 2
        var end = first
        while end < value.count, !endsAuthority(value[end]) { end += 1 }
        let written = value.extracting(first..<end)
        guard let authority = Authority.parse(written) else { return nil }
        return OriginReference(
            origin: Origin(scheme: scheme, authority: authority, bytes: written),
            pathStart: end
        )
    }

    static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        // The reference of a Refresh may stand in quotes.
        case UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }
}
