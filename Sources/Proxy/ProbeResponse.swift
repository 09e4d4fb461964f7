package import Authentication
internal import Bytes
internal import Exchange
internal import HTTP

/// What a server said to a request of an inspection's.
package struct ProbeResponse: Sendable {
    /// The status code.
    package let status: UInt16
    /// Its Date field, in seconds of Unix time; nil where it has none that is one.
    package let date: Int64?
    /// The challenges of WWW-Authenticate.
    package let challenges: [AuthenticationChallenge]
    /// The challenges of Proxy-Authenticate.
    package let proxyChallenges: [AuthenticationChallenge]
    /// Whether the connection goes on behind it.
    package let isPersistent: Bool

    /// A response on its way.
    struct Taking: ~Copyable {
        /// A longer body isn't needed, but ends the connection.
        private static let longestBody = 1 << 20

        private var response: WholeResponse
        private var isWhole = true

        init(_ method: HTTPMethod) { response = WholeResponse(to: method, longestBody: Self.longestBody) }

        /// Takes what came; true where that was all.
        mutating func take(_ bytes: Span<UInt8>) throws(ProbeConnection.Failure) -> Bool {
            switch response.received(bytes) {
            case .needMore: return false
            case .complete: return true
            case .failed(.tooLong):
                isWhole = false
                return true
            case .failed(let failure): throw ProbeConnection.Failure("response.malformed", "\(failure)")
            }
        }

        /// The connection has ended; true where that was all.
        mutating func end() -> Bool { response.ended() == .complete }

        func finish() -> ProbeResponse { ProbeResponse(response.head, isWhole: isWhole) }
    }

    private init(_ head: borrowing ResponseHead, isWhole: Bool) {
        status = head.status
        date = head.fields.first(.date).flatMap { HTTPDate.unixSeconds(head.fields.value($0)) }
        challenges = Self.challenges(head, .wwwAuthenticate)
        proxyChallenges = Self.challenges(head, .proxyAuthenticate)
        isPersistent = isWhole && head.version == .http11 && !head.fields.hasToken(.connection, "close")
    }

    private static func challenges(_ head: borrowing ResponseHead, _ name: FieldName) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        var next = head.fields.first(name)
        while let index = next {
            parser.parse(head.fields.value(index))
            next = head.fields.next(name, after: index)
        }
        return parser.finish()
    }
}
