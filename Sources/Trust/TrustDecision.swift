/// Whether we may speak to a server.
package enum TrustDecision: Sendable {
    /// Yes.
    case accept
    /// Yes, and what was seen is logged and reported: `enforce: false` or `observe`.
    case acceptAndReport(TrustFailure)
    /// No: neither a byte of a request nor a client certificate may be sent.
    case reject(TrustFailure)

    /// The failure that it tells of, if it does.
    package var failure: TrustFailure? {
        switch self {
        case .accept: nil
        case .acceptAndReport(let failure), .reject(let failure): failure
        }
    }

    /// Whether the connection may be used.
    package var isAccepted: Bool {
        switch self {
        case .accept, .acceptAndReport: true
        case .reject: false
        }
    }
}
