internal import HTTP

/// What `explain` is asked.
struct ExplainRequest: Equatable {
    let origin: Origin
    /// The path with its query as it is sent.
    let path: [UInt8]
    let method: HTTPMethod
    let challenges: [String]
    let proxyChallenges: [String]
    let config: String?

    init(_ options: CommandLineOptions) throws(UsageError) {
        guard let text = options.operands.first else { throw UsageError("a URL is missing", .explain) }
        try Invocation.refuseOperands(options.operands.dropFirst(), .explain)
        let name = options.value(.method) ?? "GET"
        let nameBytes = Array(name.utf8)
        method = HTTPMethod(nameBytes.span)
        // A fragment stays with the client [RFC 9110 s.4.2.5].
        let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        guard let target = RequestTarget.parse(bytes.span, in: bytes.indices, method: .get),
            target.form == .absolute, let scheme = target.scheme
        else { throw UsageError.noURL(text, .explain) }
        origin = Origin(
            scheme: scheme,
            host: String(decoding: bytes[target.host], as: UTF8.self),
            port: target.port
        )
        let written = Array(bytes[target.path])
        path = written.first == UInt8(ascii: "/") ? written : [UInt8(ascii: "/")] + written
        challenges = options.all(.challenge)
        proxyChallenges = options.all(.proxyChallenge)
        config = options.value(.config)
    }
}
