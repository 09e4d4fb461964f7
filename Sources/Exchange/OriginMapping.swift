internal import Bytes
package import HTTP
internal import Rules

/// What the client and the upstream call the same origin, where a route upgrades it or a listener stands for it.
///
/// References in fields are mapped both ways; nothing in bodies is.
package struct OriginMapping: Sendable {
    /// As the client says it, if that is known, and as the upstream does.
    private let client: Origin?
    private let upstream: Origin
    /// What stands before the client's paths upstream.
    private let prefix: [UInt8]

    /// A mapping between what the client asks for and what is dialled in its place.
    ///
    /// A client of which it isn't known what it calls the origin gets references without one.
    package init(client: Origin?, upstream: Origin, prefix: String = "") {
        self.client = client
        self.upstream = upstream
        self.prefix = Array(prefix.utf8)
    }

    private static func append(_ origin: Origin, into buffer: inout ByteBuffer) {
        buffer.append(origin.scheme.text)
        buffer.append("://")
        buffer.append(origin.authority)
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
        if let client, let reference = OriginReference.read(value, base: client.scheme), reference.origin == client {
            Self.append(upstream, into: &buffer)
            let rest = value.extracting(reference.pathStart..<value.count)
            if !isOrigin, !prefix.isEmpty {
                buffer.append(prefix.span)
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
        if let reference = OriginReference.read(value, base: upstream.scheme) {
            let rest = value.extracting(reference.pathStart..<value.count)
            guard reference.origin == upstream, let inner = pathInside(rest) else { return buffer.append(value) }
            if let client { Self.append(client, into: &buffer) } else { Self.beginPath(inner, into: &buffer) }
            let isBare = inner.isEmpty || inner[0] != UInt8(ascii: "/")
            if isBare, client == nil || !prefix.isEmpty { buffer.append(UInt8(ascii: "/")) }
            return buffer.append(inner)
        }
        guard Self.isPath(value), !prefix.isEmpty, let inner = pathInside(value) else { return buffer.append(value) }
        Self.beginPath(inner, into: &buffer)
        if inner.isEmpty || inner[0] != UInt8(ascii: "/") { buffer.append(UInt8(ascii: "/")) }
        buffer.append(inner)
    }

    /// A path that begins with an empty segment would be taken for an authority (RFC 3986 s.4.2).
    private static func beginPath(_ path: Span<UInt8>, into buffer: inout ByteBuffer) {
        guard path.count >= 2, path[0] == UInt8(ascii: "/"), path[1] == UInt8(ascii: "/") else { return }
        buffer.append("/.")
    }

    /// What is behind the prefix of a path; nil where it doesn't begin with that on a segment's border.
    @_lifetime(copy path)
    private func pathInside(_ path: Span<UInt8>) -> Span<UInt8>? {
        // One with dot segments may be anywhere.
        guard path.count >= prefix.count, prefix.isEmpty || !RequestPath.hasDotSegment(path) else { return nil }
        for index in prefix.indices where path[index] != prefix[index] { return nil }
        let rest = path.extracting(prefix.count..<path.count)
        guard prefix.isEmpty || rest.isEmpty || OriginReference.endsAuthority(rest[0]) else { return nil }
        return rest
    }

    private static func isPath(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty, value[0] == UInt8(ascii: "/") else { return false }
        return value.count == 1 || value[1] != UInt8(ascii: "/")
    }

    /// `5; url=https://h/` has its reference behind a time and `url=`, which may be missing, perhaps in quotes.
    private func appendRefresh(_ fields: Fields, _ index: Int, into buffer: inout ByteBuffer) {
        let value = fields.value(index)
        buffer.append(fields.nameBytes(index))
        buffer.append(": ")
        let start = Self.referenceOfRefresh(value)
        buffer.append(value.extracting(0..<start))
        if start < value.count { appendResponseReference(value.extracting(start..<value.count), into: &buffer) }
        HeadSerializer.appendLineEnd(into: &buffer)
    }

    /// Where the reference begins, as browsers read the field; its end where there is none.
    private static func referenceOfRefresh(_ value: Span<UInt8>) -> Int {
        var index = 0
        func skipBlanks() { while index < value.count, ASCII.isBlank(value[index]) { index += 1 } }
        skipBlanks()
        while index < value.count, (0x30...0x39).contains(value[index]) || value[index] == UInt8(ascii: ".") {
            index += 1
        }
        skipBlanks()
        if index < value.count, value[index] == UInt8(ascii: ";") || value[index] == UInt8(ascii: ",") { index += 1 }
        skipBlanks()
        let afterTime = index
        if value.count - index >= 3, ASCII.equalsIgnoringCase(value.extracting(index..<index + 3), "url") {
            index += 3
            skipBlanks()
            if index < value.count, value[index] == UInt8(ascii: "=") {
                index += 1
                skipBlanks()
            } else {
                index = afterTime
            }
        }
        let isQuoted = index < value.count && (value[index] == UInt8(ascii: "\"") || value[index] == UInt8(ascii: "'"))
        return isQuoted ? index + 1 : index
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
