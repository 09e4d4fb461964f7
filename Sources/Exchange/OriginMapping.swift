internal import Bytes
package import HTTP

/// What the client and the upstream call the same origin, where a route upgrades it (R-4).
///
/// References in fields are mapped both ways; nothing in bodies is.
package struct OriginMapping: Sendable {
    /// As the client says it, and as the upstream does: with the port that its scheme implies, without and with it.
    private let client: [[UInt8]]
    private let upstream: [[UInt8]]

    /// A mapping between what the client asks for and what is dialled in its place.
    package init(client: Origin, upstream: Origin) {
        self.client = Self.spellings(of: client)
        self.upstream = Self.spellings(of: upstream)
    }

    private static func spellings(of origin: Origin) -> [[UInt8]] {
        let written = "\(origin.scheme.text)://\(origin.authority)"
        let whole = "\(origin.scheme.text)://\(origin.authorityWithPort)"
        return written == whole ? [Array(whole.utf8)] : [Array(whole.utf8), Array(written.utf8)]
    }

    static let requestFields: FieldNameSet = [.origin, .referer, .destination]
    static let responseFields: FieldNameSet = [
        .location, .contentLocation, .refresh, .setCookie, .strictTransportSecurity, .altSvc,
    ]

    /// Appends those fields of a request that name the client's origin, naming the upstream's.
    func appendRequestFields(_ fields: Fields, into buffer: inout ByteBuffer) {
        for index in 0..<fields.count where Self.requestFields.contains(fields.name(index)) {
            append(fields, index, from: client, to: upstream, into: &buffer)
        }
    }

    /// Appends those fields of a response that name the upstream's origin, naming the client's, and cookies that a
    /// client in the clear takes and keeps to this host.
    func appendResponseFields(_ fields: Fields, into buffer: inout ByteBuffer) {
        for index in 0..<fields.count {
            switch fields.name(index) {
            case .location, .contentLocation:
                append(fields, index, from: upstream, to: client, into: &buffer)
            case .refresh:
                appendRefresh(fields, index, into: &buffer)
            case .setCookie:
                appendCookie(fields, index, into: &buffer)
            default:
                continue
            }
        }
    }

    private func append(
        _ fields: Fields,
        _ index: Int,
        from: [[UInt8]],
        to: [[UInt8]],
        into buffer: inout ByteBuffer
    ) {
        buffer.append(fields.nameBytes(index))
        buffer.append(": ")
        Self.appendReference(fields.value(index), from: from, to: to, into: &buffer)
        HeadSerializer.appendLineEnd(into: &buffer)
    }

    /// Appends a reference; one that begins with another origin stays as it is.
    private static func appendReference(
        _ value: Span<UInt8>,
        from: [[UInt8]],
        to: [[UInt8]],
        into buffer: inout ByteBuffer
    ) {
        for spelling in from where names(value, spelling) {
            if let target = to.last { buffer.append(target) }
            buffer.append(value.extracting(spelling.count..<value.count))
            return
        }
        buffer.append(value)
    }

    /// Whether the reference begins with this origin and nothing longer.
    private static func names(_ value: Span<UInt8>, _ origin: [UInt8]) -> Bool {
        guard value.count >= origin.count else { return false }
        for index in origin.indices where ASCII.lowercased(value[index]) != origin[index] { return false }
        guard value.count > origin.count else { return true }
        switch value[origin.count] {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
        // The reference of a Refresh may stand in quotes.
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return true
        default: return false
        }
    }

    /// `5; url=https://h/` has its reference behind `url=`, perhaps in quotes.
    private func appendRefresh(_ fields: Fields, _ index: Int, into buffer: inout ByteBuffer) {
        let value = fields.value(index)
        buffer.append(fields.nameBytes(index))
        buffer.append(": ")
        var start = 0
        while start + 4 <= value.count {
            if ASCII.equalsIgnoringCase(value.extracting(start..<start + 4), "url=") { break }
            start += 1
        }
        guard start + 4 <= value.count else {
            buffer.append(value)
            return HeadSerializer.appendLineEnd(into: &buffer)
        }
        start += 4
        if start < value.count, value[start] == UInt8(ascii: "\"") || value[start] == UInt8(ascii: "'") { start += 1 }
        buffer.append(value.extracting(0..<start))
        Self.appendReference(value.extracting(start..<value.count), from: upstream, to: client, into: &buffer)
        HeadSerializer.appendLineEnd(into: &buffer)
    }

    /// A cookie loses Secure, which a client in the clear would not keep, and Domain, which is the upstream's.
    private func appendCookie(_ fields: Fields, _ index: Int, into buffer: inout ByteBuffer) {
        let value = fields.value(index)
        buffer.append(fields.nameBytes(index))
        buffer.append(": ")
        var start = 0
        while start <= value.count {
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
            let part = value.extracting(start..<end)
            if start == 0 || !Self.isDropped(part) {
                if start > 0 { buffer.append(";") }
                buffer.append(part)
            }
            start = end + 1
        }
        HeadSerializer.appendLineEnd(into: &buffer)
    }

    private static func isDropped(_ attribute: Span<UInt8>) -> Bool {
        var start = 0
        while start < attribute.count, ASCII.isBlank(attribute[start]) { start += 1 }
        var end = start
        while end < attribute.count, attribute[end] != UInt8(ascii: "="), !ASCII.isBlank(attribute[end]) { end += 1 }
        let name = attribute.extracting(start..<end)
        return ASCII.equalsIgnoringCase(name, "secure") || ASCII.equalsIgnoringCase(name, "domain")
    }

    /// Whether the name of a cookie asks for a secure origin, so that a client in the clear refuses it.
    package static func asksForSecureOrigin(_ fields: borrowing Fields) -> Bool {
        var next = fields.first(.setCookie)
        while let index = next {
            let value = fields.value(index)
            for prefix in ["__Secure-", "__Host-"] where value.count >= prefix.utf8.count {
                if ASCII.equalsIgnoringCase(value.extracting(0..<prefix.utf8.count), prefix) { return true }
            }
            next = fields.next(.setCookie, after: index)
        }
        return false
    }
}
