internal import Bytes
internal import Exchange

/// What the log tells of one exchange (O-3): names and numbers, never a value that was sent.
struct ExchangeRecord {
    var began = Instant(nanoseconds: 0)
    /// nil: by a unix socket.
    var client: IPAddress?
    /// The tunnel in which the request came, if any.
    var tunnel: OpenedTunnel?
    var status: UInt16 = 0
    var bytesIn: UInt64 = 0
    var bytesOut: UInt64 = 0
    /// The stable reason code, where something went otherwise than asked (O-9).
    var reason = ""
    /// The name of a credential that was refused.
    var rejected = ""
    var toldContinue = false
}
