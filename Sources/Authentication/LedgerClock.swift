internal import Bytes

/// The moment of an event on both clocks.
struct LedgerClock: Sendable {
    /// Monotonic, for scouts.
    let now: Instant
    /// Unix time in nanoseconds, for what outlives the process.
    let unixNanoseconds: Int64

    var unixSeconds: Int64 { unixNanoseconds / 1_000_000_000 }

    /// The Unix time in seconds, rounded up, at which `duration` will have passed.
    func end(of duration: Nanoseconds?) -> Int64? {
        guard let duration else { return nil }
        let (sum, overflow) = unixNanoseconds.addingReportingOverflow(Int64(clamping: duration))
        return overflow ? nil : (sum - 1) / 1_000_000_000 + 1
    }
}
