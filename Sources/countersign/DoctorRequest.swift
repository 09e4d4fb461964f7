internal import Bytes
internal import HTTP

/// What `doctor` is asked.
struct DoctorRequest: Equatable {
    let origin: Origin
    /// The path with its query as it is sent.
    let path: [UInt8]
    let config: String?
    /// How long each step may take.
    let limit: Nanoseconds
    let isJSON: Bool

    init(_ options: CommandLineOptions) throws(UsageError) {
        (origin, path) = try Self.target(options)
        config = options.value(.config)
        isJSON = options.contains(.json)
        let text = options.value(.timeout) ?? "10"
        guard let seconds = UInt64(text.hasSuffix("s") ? String(text.dropLast()) : text), (1...300).contains(seconds)
        else {
            throw UsageError("'--timeout' takes seconds from 1 to 300, not '\(text)'", .doctor)
        }
        limit = .seconds(seconds)
    }

    private static func target(_ options: CommandLineOptions) throws(UsageError) -> (Origin, [UInt8]) {
        guard let text = options.operands.first else { throw UsageError("a URL is missing", .doctor) }
        try Invocation.refuseOperands(options.operands.dropFirst(), .doctor)
        // A fragment stays with the client [RFC 9110 s.4.2.5].
        let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        guard let target = RequestTarget.parse(bytes.span, in: bytes.indices, method: .get),
            target.form == .absolute, let scheme = target.scheme
        else { throw UsageError.noURL(text, .doctor) }
        let origin = Origin(
            scheme: scheme,
            host: String(decoding: bytes[target.host], as: UTF8.self),
            port: target.port
        )
        let written = Array(bytes[target.path])
        return (origin, written.first == UInt8(ascii: "/") ? written : [UInt8(ascii: "/")] + written)
    }
}
