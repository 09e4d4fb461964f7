/// Decides when an incomplete head is worth another attempt, so that one dripping in byte by byte costs linear time.
///
/// An attempt is made at first, when the empty line has come, and whenever the bytes have doubled, which finds what is
/// wrong early and costs at most as much as one pass more.
struct HeadProgress: Sendable {
    private var scanner = HeadScanner()
    private var attempted = 0

    /// Whether `bytes`, which begin with those of the call before, should be parsed.
    mutating func shouldParse(_ bytes: Span<UInt8>, limits: Limits) -> Bool {
        if attempted == 0 { return true }
        if scanner.scan(bytes) || bytes.count > limits.head { return true }
        if !scanner.sawLine && bytes.count > limits.target { return true }
        return bytes.count >= 2 * attempted
    }

    /// Notes that a head of `count` bytes was not complete.
    mutating func noteIncomplete(_ count: Int) {
        attempted = max(count, attempted)
    }

    /// Starts again with the next head.
    mutating func reset() {
        scanner.reset()
        attempted = 0
    }
}
