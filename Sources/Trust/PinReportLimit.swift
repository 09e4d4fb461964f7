/// Lets each report through once a day, and each chain that was observed once (T-4).
package struct PinReportLimit: Sendable {
    /// How many different reports are let through in a day; whoever makes up chains gets no further.
    package static let capacity = 1000
    private static let period: Int64 = 86_400

    private var sent: Set<Fingerprint> = []
    private var observed: Set<Fingerprint> = []
    private var began: Int64?

    /// A limit that has let nothing through.
    package init() {}

    /// Whether the report is to be sent, in which case it is remembered; `now` is in seconds of Unix time.
    package mutating func admits(_ report: PinReport, now: Int64) -> Bool {
        if report.failure.kind == .observed {
            guard observed.count < Self.capacity else { return false }
            return observed.insert(report.fingerprint).inserted
        }
        // All at once, so that what is remembered is bounded by one number.
        if began.map({ now - $0 >= Self.period || now < $0 }) ?? true {
            began = now
            sent.removeAll(keepingCapacity: true)
        }
        guard sent.count < Self.capacity else { return false }
        return sent.insert(report.fingerprint).inserted
    }
}
