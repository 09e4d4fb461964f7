/// What a client says first, as far as it decides whether its TLS is opened [RFC 8446 s.4.1.2].
package struct ClientHello: Hashable, Sendable {
    /// The host that it asks for [RFC 6066 s.3], in lower case; nil if it names none.
    package let serverName: String?
    /// The protocols that it offers [RFC 7301], in its order; nil if it leaves the choice to the server.
    package let protocols: [[UInt8]]?

    /// Whether http/1.1 will do for it: it offers that, or nothing (I-1).
    package var takesHTTP1: Bool { protocols?.contains { $0.elementsEqual("http/1.1".utf8) } ?? true }

    /// What the first bytes of a client are.
    package enum Reading: Hashable, Sendable {
        /// The beginning of a ClientHello, or nothing yet; there is nothing new to be learned before so many bytes are
        /// there.
        case incomplete(needs: Int)
        /// A whole one.
        case complete(ClientHello)
        /// Something else.
        case other
    }

    /// Records that a ClientHello may come in: one in many small pieces is meant to cost its reader.
    private static let mostRecords = 32

    /// Reads the first bytes of a client; they remain to be given to the session.
    ///
    /// A ClientHello of more than 64 KiB is something else, so that no more need be kept.
    package static func read(_ bytes: Span<UInt8>) -> Reading {
        var message: [UInt8] = []
        var start = 0
        for _ in 0..<mostRecords {
            guard let size = recordSize(bytes, at: start) else { return .other }
            guard size > 0 else { return .incomplete(needs: start + recordHeader) }
            let content = min(start + recordHeader, bytes.count)..<min(start + recordHeader + size, bytes.count)
            message += content.map { bytes[$0] }
            if let first = message.first, first != 1 { return .other }
            if message.count >= 4 {
                let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
                guard length < 1 << 16 else { return .other }
                if message.count >= 4 + length {
                    let hello = ClientHello(message.span.extracting(4..<(4 + length)))
                    return hello.map { .complete($0) } ?? .other
                }
            }
            guard content.count == size else { return .incomplete(needs: start + recordHeader + size) }
            start += recordHeader + size
        }
        return .other
    }

    private static let recordHeader = 5

    /// The size of the record's content [RFC 8446 s.5.1]: 0 while its header isn't whole, nil where it is no handshake's.
    private static func recordSize(_ bytes: Span<UInt8>, at start: Int) -> Int? {
        if start < bytes.count, bytes[start] != 22 { return nil }
        if start + 1 < bytes.count, bytes[start + 1] != 3 { return nil }
        guard start + recordHeader <= bytes.count else { return 0 }
        let size = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        return size > 0 && size <= 1 << 14 ? size : nil
    }

    /// Reads the body of the handshake message; nil where it isn't one.
    private init?(_ body: Span<UInt8>) {
        var fields = Fields(body)
        // Version, random, session id, cipher suites, compression methods.
        guard fields.bytes(34) != nil, fields.vector(lengthBytes: 1) != nil, fields.vector(lengthBytes: 2) != nil,
            fields.vector(lengthBytes: 1) != nil
        else { return nil }
        var serverName: String?
        var protocols: [[UInt8]]?
        if !fields.isAtEnd {
            guard let block = fields.vector(lengthBytes: 2), fields.isAtEnd else { return nil }
            var extensions = Fields(block.span)
            while !extensions.isAtEnd {
                guard let type = extensions.number(ofBytes: 2), let data = extensions.vector(lengthBytes: 2) else {
                    return nil
                }
                switch type {
                case 0: serverName = Self.hostName(data.span)
                case 16:
                    guard let list = Self.protocolList(data.span) else { return nil }
                    protocols = list
                default: break
                }
            }
        }
        self.serverName = serverName
        self.protocols = protocols
    }

    private static func hostName(_ data: Span<UInt8>) -> String? {
        var fields = Fields(data)
        guard let list = fields.vector(lengthBytes: 2) else { return nil }
        var entries = Fields(list.span)
        while let type = entries.byte(), let name = entries.vector(lengthBytes: 2) {
            guard type == 0 else { continue }
            // What isn't ASCII is no name; who asks for it gets what he asked the proxy for.
            guard !name.isEmpty, name.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
            return String(decoding: name, as: UTF8.self).lowercased()
        }
        return nil
    }

    private static func protocolList(_ data: Span<UInt8>) -> [[UInt8]]? {
        var fields = Fields(data)
        guard let list = fields.vector(lengthBytes: 2), fields.isAtEnd else { return nil }
        var entries = Fields(list.span)
        var protocols: [[UInt8]] = []
        while !entries.isAtEnd {
            guard let name = entries.vector(lengthBytes: 1), !name.isEmpty else { return nil }
            protocols.append(name)
        }
        return protocols
    }
}

/// Numbers and vectors in TLS's presentation language, one after the other [RFC 8446 s.3].
private struct Fields: ~Escapable {
    private let all: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { all = bytes }

    var count: Int { all.count - position }
    var isAtEnd: Bool { count == 0 }

    mutating func byte() -> UInt8? {
        guard count > 0 else { return nil }
        position += 1
        return all[position - 1]
    }

    @_lifetime(self: copy self)
    mutating func number(ofBytes size: Int) -> Int? {
        guard count >= size else { return nil }
        var value = 0
        for _ in 0..<size { value = value << 8 | Int(byte() ?? 0) }
        return value
    }

    @_lifetime(self: copy self)
    mutating func bytes(_ size: Int) -> [UInt8]? {
        guard count >= size else { return nil }
        let window = all.extracting(position..<(position + size))
        position += size
        return window.indices.map { window[$0] }
    }

    @_lifetime(self: copy self)
    mutating func vector(lengthBytes: Int) -> [UInt8]? {
        guard let size = number(ofBytes: lengthBytes) else { return nil }
        return bytes(size)
    }
}
