internal import Bytes
internal import HTTP

/// Whose pins are printed.
enum PinRequest: Equatable {
    /// A server's; the host is in lower case, without brackets.
    case server(Origin)
    /// Those of the certificates in a file.
    case file(String)

    init(_ options: CommandLineOptions) throws(UsageError) {
        if let file = options.value(.file) {
            try Invocation.refuseOperands(options.operands, .pin)
            self = .file(file)
            return
        }
        guard let text = options.operands.first else { throw UsageError("HOST[:PORT] or --file FILE is missing", .pin) }
        try Invocation.refuseOperands(options.operands.dropFirst(), .pin)
        // An IPv6 address may come without its brackets, since nothing follows it then.
        let isBare = IPAddress(text)?.family == .v6
        let bytes = Array((isBare ? "[\(text)]" : text).utf8)
        guard let authority = Authority.parse(bytes.span) else {
            throw UsageError("\(UsageError.shown(text)) is no HOST[:PORT]", .pin)
        }
        self = .server(Origin(scheme: .https, authority: authority, bytes: bytes.span))
    }
}
