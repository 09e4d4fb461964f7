/// A request method; one that isn't listed is `other` and known by its bytes alone [RFC 9110 s.9].
package enum HTTPMethod: UInt8, Sendable, CaseIterable {
    case get, head, post, put, delete, connect, options, trace, patch, other

    /// The method that `bytes` names, with case [RFC 9110 s.9.1].
    package init(_ bytes: Span<UInt8>) {
        self = .other
        guard !bytes.isEmpty, bytes.count <= 7, bytes[0] != .nul else { return }
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
        switch word {
        case 0x47_4554: self = .get
        case 0x4845_4144: self = .head
        case 0x504f_5354: self = .post
        case 0x50_5554: self = .put
        case 0x4445_4c45_5445: self = .delete
        case 0x43_4f4e_4e45_4354: self = .connect
        case 0x4f_5054_494f_4e53: self = .options
        case 0x54_5241_4345: self = .trace
        case 0x50_4154_4348: self = .patch
        default: break
        }
    }

    /// The method's name; empty for `other`.
    package var text: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .connect: "CONNECT"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .patch: "PATCH"
        case .other: ""
        }
    }

    /// Whether a request may be repeated without being asked for [RFC 9110 s.9.2.2].
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .connect, .patch, .other: false
        }
    }

    /// Whether a request asks for nothing but to be told [RFC 9110 s.9.2.1].
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        case .post, .put, .delete, .connect, .patch, .other: false
        }
    }
}
