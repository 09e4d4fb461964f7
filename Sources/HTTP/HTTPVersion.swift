/// The version of a message; 1.2 to 1.9 count as 1.1 [RFC 9110 s.2.5].
package enum HTTPVersion: UInt8, Sendable {
    case http10, http11

    /// The HTTP-version as it is written.
    package var text: String {
        switch self {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        }
    }
}

/// What the version at the start or end of a start-line turned out to be.
enum VersionReading {
    case version(HTTPVersion)
    /// HTTP, but another major version than 1.
    case unsupported
    case malformed

    /// Reads the eight bytes of an HTTP-version, with case [RFC 9112 s.2.3].
    init(_ bytes: Span<UInt8>) {
        self = .malformed
        guard bytes.count == 8 else { return }
        let isNamed =
            bytes[0] == UInt8(ascii: "H") && bytes[1] == UInt8(ascii: "T") && bytes[2] == UInt8(ascii: "T")
            && bytes[3] == UInt8(ascii: "P") && bytes[4] == .slash
        guard isNamed, ByteClass.isDigit(bytes[5]), bytes[6] == UInt8(ascii: "."), ByteClass.isDigit(bytes[7]) else {
            return
        }
        guard bytes[5] == UInt8(ascii: "1") else {
            self = .unsupported
            return
        }
        self = .version(bytes[7] == UInt8(ascii: "0") ? .http10 : .http11)
    }
}
