internal import Bytes
package import HTTP

/// What the client and the upstream call the same origin, where a route upgrades it or a listener stands for it (R-4).
///
/// References in fields are mapped both ways; nothing in bodies is.
package struct OriginMapping: Sendable {
    /// As the client says it, and as the upstream does: with the port that its scheme implies, without and with it.
    private let client: [[UInt8]]
    private let upstream: [[UInt8]]
    /// What stands before the client's paths upstream.
    private let prefix: [UInt8]

    /// A mapping between what the client asks for and what is dialled in its place.
    ///
    /// A client of which it isn't known what it calls the origin gets references without one.
    package init(client: Origin?, upstream: Origin, prefix: String = "") {
        self.client = client.map(Self.spellings) ?? []
        self.upstream = Self.spellings(of: upstream)
        self.prefix = Array(prefix.utf8)
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
            buffer.append(fields.nameBytes(index))
            buffer.append(": ")
            appendRequestReference(fields.value(index), isOrigin: fields.name(index) == .origin, into: &buffer)
            HeadSerializer.appendLineEnd(into: &buffer)
        }
    }

    /// Appends those fields of a response that name the upstream's origin, naming the client's, and cookies that a
    /// client in the clear takes and keeps to this host.
    func appendResponseFields(_ fields: Fields, into buffer: inout ByteBuffer) {
        for index in 0..<fields.count {
            switch fields.name(index) {
            case .location, .contentLocation:
                buffer.append(fields.nameBytes(index))
                buffer.append(": ")
                appendResponseReference(fields.value(index), into: &buffer)
                HeadSerializer.appendLineEnd(into: &buffer)
            case .refresh:
                appendRefresh(fields, index, into: &buffer)
            case .setCookie:
                appendCookie(fields, index, into: &buffer)
            default:
                continue
            }
        }
    }

    /// Appends a reference of the client's; one that begins with another origin stays as it is.
    private func appendRequestReference(_ value: Span<UInt8>, isOrigin: Bool, into buffer: inout ByteBuffer) {
        for spelling in client where Self.names(value, spelling) {
            if let target = upstream.last { buffer.append(target) }
            let rest = value.extracting(spelling.count..<value.count)
            if !isOrigin, !prefix.isEmpty {
                buffer.append(prefix)
                if rest.isEmpty || rest[0] != UInt8(ascii: "/") { buffer.append(UInt8(ascii: "/")) }
            }
            return buffer.append(rest)
        }
        // Destination may be a path (RFC 4918 s.10.3).
        if !isOrigin, Self.isPath(value) { buffer.append(prefix) }
        buffer.append(value)
    }

    /// Appends a reference of the upstream's; one that begins with another origin, or leads out of the prefix, stays as
    /// it is.
    private func appendResponseReference(_ value: Span<UInt8>, into buffer: inout ByteBuffer) {
        for spelling in upstream where Self.names(value, spelling) {
            let rest = value.extracting(spelling.count..<value.count)
            guard let inner = pathInside(rest) else { break }
            if let target = client.last { buffer.append(target) }
            let isBare = inner.isEmpty || inner[0] != UInt8(ascii: "/")
            if isBare, client.isEmpty || !prefix.isEmpty { buffer.append(UInt8(ascii: "/")) }
            return buffer.append(inner)
        }
        guard Self.isPath(value), !prefix.isEmpty, let inner = pathInside(value) else { return buffer.append(value) }
        if inner.isEmpty || inner[0] != UInt8(ascii: "/") { buffer.append(UInt8(ascii: "/")) }
        buffer.append(inner)
    }

    /// What is behind the prefix of a path; nil where it doesn't begin with that on a segment's border.
    @_lifetime(copy path)
    private func pathInside(_ path: Span<UInt8>) -> Span<UInt8>? {
        guard path.count >= prefix.count else { return nil }
        for index in prefix.indices where path[index] != prefix[index] { return nil }
        let rest = path.extracting(prefix.count..<path.count)
        guard prefix.isEmpty || rest.isEmpty || Self.endsSegment(rest[0]) else { return nil }
        return rest
    }

    private static func isPath(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty, value[0] == UInt8(ascii: "/") else { return false }
        return value.count == 1 || value[1] != UInt8(ascii: "/")
    }

    private static func endsSegment(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        // The reference of a Refresh may stand in quotes.
        case UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }

    /// Whether the reference begins with this origin and nothing longer.
    private static func names(_ value: Span<UInt8>, _ origin: [UInt8]) -> Bool {
        guard value.count >= origin.count else { return false }
        for index in origin.indices where ASCII.lowercased(value[index]) != origin[index] { return false }
        guard value.count > origin.count else { return true }
        return endsSegment(value[origin.count])
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
        appendResponseReference(value.extracting(start..<value.count), into: &buffer)
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
                if start > 0 { appendAttribute(part, into: &buffer) } else { buffer.append(part) }
            }
            start = end + 1
        }
        HeadSerializer.appendLineEnd(into: &buffer)
    }

    /// Appends an attribute of a cookie; a Path inside the prefix is told as the client has it.
    private func appendAttribute(_ attribute: Span<UInt8>, into buffer: inout ByteBuffer) {
        guard !prefix.isEmpty, ASCII.equalsIgnoringCase(attribute.extracting(Self.name(of: attribute)), "path") else {
            return buffer.append(attribute)
        }
        var start = Self.name(of: attribute).upperBound
        while start < attribute.count, ASCII.isBlank(attribute[start]) || attribute[start] == UInt8(ascii: "=") {
            start += 1
        }
        buffer.append(attribute.extracting(0..<start))
        appendResponseReference(ASCII.trimmingBlanks(attribute.extracting(start..<attribute.count)), into: &buffer)
    }

    private static func isDropped(_ attribute: Span<UInt8>) -> Bool {
        let name = attribute.extracting(name(of: attribute))
        return ASCII.equalsIgnoringCase(name, "secure") || ASCII.equalsIgnoringCase(name, "domain")
    }

    private static func name(of attribute: Span<UInt8>) -> Range<Int> {
        var start = 0
        while start < attribute.count, ASCII.isBlank(attribute[start]) { start += 1 }
        var end = start
        while end < attribute.count, attribute[end] != UInt8(ascii: "="), !ASCII.isBlank(attribute[end]) { end += 1 }
        return start..<end
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
