package import Bytes

/// When a secret that is fetched may be used, and when it is to be fetched: ahead of its end, one fetch at a time, and
/// not again at once where that failed.
///
/// It knows neither the secret nor a clock: times are arguments. Whoever is told to fetch owes `obtained`, or `failed`
/// and then, where that says so, another attempt.
package struct SecretLifetime: Sendable {
    /// How long is waited for what.
    package struct Terms: Equatable, Sendable {
        /// How often a fetch is tried whose failures pass.
        package var attempts = 3
        /// The pause before the second attempt, doubled for each further one.
        package var firstPause: Nanoseconds = .milliseconds(500)
        /// The longest time from a fetch's beginning to the beginning of its last attempt.
        package var patience: Nanoseconds = .seconds(20)
        /// How long a failed fetch stands for those that ask after it; doubled for each that follows, up to `longestRest`.
        package var rest: Nanoseconds = .seconds(2)
        /// The same for a failure that doesn't pass by itself.
        package var lastingRest: Nanoseconds = .seconds(30)
        /// The longest that `Retry-After` is heeded.
        package var longestRest: Nanoseconds = .seconds(60)
        /// From one refusal that leads to a fetch to the next, unless a secret was confirmed in between.
        package var refusalRest: Nanoseconds = .seconds(10)

        package init() {}
    }

    /// What somebody who needs the secret has to do.
    package enum Advice: Equatable, Sendable {
        /// The one at hand is valid.
        case use
        /// It is valid, and it is time to fetch the next one.
        case useAndFetch
        case fetch
        /// A fetch is under way.
        case wait
        /// The last fetch failed, and it is too early for another one.
        case failed
    }

    /// Whether a failure may pass by itself.
    package enum Failure: Equatable, Sendable {
        /// As a 5xx or a broken connection does.
        case passing
        /// As a 4xx doesn't.
        case lasting
    }

    /// What follows from a failed attempt.
    package enum Consequence: Equatable, Sendable {
        /// The same fetch tries once more then.
        case retry(at: Instant)
        /// The fetch has failed, and so has who waits for it.
        case given
    }

    private let terms: Terms
    private var validUntil: Instant?
    /// From when on the one at hand isn't used any more, since it was refused.
    private var refusedFrom = Instant.distantFuture
    private var aheadAt = Instant.distantFuture
    private var fetchBegan: Instant?
    private var attempt = 0
    private var failedFetches = 0
    private var restsUntil = Instant(nanoseconds: 0)
    private var nextRefusalAt = Instant(nanoseconds: 0)

    /// Nothing has been fetched yet.
    package init(_ terms: Terms = Terms()) { self.terms = terms }

    /// Whether a fetch is under way.
    package var isFetching: Bool { fetchBegan != nil }

    /// Whether what was obtained may be used.
    package func isValid(at now: Instant) -> Bool {
        guard let validUntil else { return false }
        return now < validUntil && !isRefused(at: now)
    }

    /// Whether what was obtained is of no use since it was refused.
    package func isRefused(at now: Instant) -> Bool { now >= refusedFrom }

    /// What `ask` would say, which changes nothing.
    package func advice(at now: Instant) -> Advice {
        if isValid(at: now) { return now >= aheadAt && mayFetch(at: now) ? .useAndFetch : .use }
        if isFetching { return .wait }
        return now < restsUntil ? .failed : .fetch
    }

    /// Somebody needs the secret; with `.fetch` and `.useAndFetch` a fetch is under way from now on.
    package mutating func ask(at now: Instant) -> Advice {
        let advice = advice(at: now)
        if advice == .fetch || advice == .useAndFetch { begin(at: now) }
        return advice
    }

    /// The secret at hand was refused where it was used, so that it isn't used any more.
    ///
    /// Shortly after the last one that was, it goes on being the answer up to the end of `refusalRest`.
    package mutating func refused(at now: Instant) {
        let moment = max(now, nextRefusalAt)
        guard validUntil != nil, moment < refusedFrom else { return }
        refusedFrom = moment
        nextRefusalAt = refusedFrom.adding(nanoseconds: terms.refusalRest)
        restsUntil = min(restsUntil, refusedFrom)
    }

    /// The secret at hand was right.
    package mutating func confirmed() { nextRefusalAt = Instant(nanoseconds: 0) }

    /// A fetch brought a secret, whose attempt began at `sent`; `lifetime` is nil where it holds until it is refused.
    package mutating func obtained(sent: Instant, lifetime: Nanoseconds?) {
        fetchBegan = nil
        failedFetches = 0
        refusedFrom = .distantFuture
        restsUntil = Instant(nanoseconds: 0)
        guard let lifetime else {
            validUntil = .distantFuture
            aheadAt = .distantFuture
            return
        }
        // On its way to who checks it, it must not end; and the next one takes its time.
        let usable = lifetime - min(lifetime / 10, .seconds(10))
        validUntil = sent.adding(nanoseconds: usable)
        aheadAt = sent.adding(nanoseconds: usable - min(usable / 5, .seconds(60)))
    }

    /// An attempt failed; `retryAfter` is what the endpoint asked for.
    package mutating func failed(_ failure: Failure, retryAfter: Nanoseconds?, at now: Instant) -> Consequence {
        attempt += 1
        let began = fetchBegan ?? now
        if failure == .passing, attempt < terms.attempts {
            let pause = max(terms.firstPause << UInt64(attempt - 1), retryAfter ?? 0)
            let next = now.adding(nanoseconds: pause)
            if next <= began.adding(nanoseconds: terms.patience) { return .retry(at: next) }
        }
        fetchBegan = nil
        let rest = failure == .lasting ? terms.lastingRest : terms.rest << UInt64(min(failedFetches, 16))
        failedFetches += 1
        restsUntil = now.adding(nanoseconds: min(max(rest, retryAfter ?? 0), terms.longestRest))
        return .given
    }

    private func mayFetch(at now: Instant) -> Bool { !isFetching && now >= restsUntil }

    private mutating func begin(at now: Instant) {
        fetchBegan = now
        attempt = 0
    }
}
