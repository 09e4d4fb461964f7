internal import Bytes

/// What is remembered of names, each as long as its owner allows within our bounds.
struct NameCache {
    /// How long addresses hold where nobody says so, as the system's resolver doesn't.
    static let usualLifetime: Nanoseconds = .seconds(30)
    /// Within a second a page's requests have one answer; and nobody's mistake lasts longer than an hour.
    static let lifetimes: ClosedRange<Nanoseconds> = .seconds(1) ... .seconds(3600)
    /// How long a missing name is missing: enough for one page's requests.
    static let negativeLifetime: Nanoseconds = .seconds(1)
    static let largest = 1024

    private struct Remembered {
        let answer: NameAnswer
        let end: Instant
    }

    private var names: [String: Remembered] = [:]

    /// What is known of the name, unless its time is up.
    mutating func answer(for host: String, at now: Instant) -> NameAnswer? {
        guard let known = names[host] else { return nil }
        if known.end > now { return known.answer }
        names[host] = nil
        return nil
    }

    /// Keeps an answer for `seconds`, or as long as is usual where that is nil.
    mutating func remember(_ host: String, _ answer: NameAnswer, seconds: Int?, at now: Instant) {
        if names.count >= Self.largest {
            names = names.filter { $0.value.end > now }
            if names.count >= Self.largest { names.removeAll() }
        }
        var lifetime = answer.error == nil ? Self.usualLifetime : Self.negativeLifetime
        if answer.error == nil, let seconds {
            let wanted = Nanoseconds.seconds(UInt64(clamping: min(seconds, 3600)))
            lifetime = min(max(wanted, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        }
        names[host] = Remembered(answer: answer, end: now.adding(nanoseconds: lifetime))
    }
}
