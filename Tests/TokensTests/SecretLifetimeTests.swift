import Bytes
import Testing

@testable import Tokens

/// When a secret is used, fetched and left alone; times in milliseconds since the start.
struct SecretLifetimeTests {
    private var lifetime = SecretLifetime()

    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: .seconds(1000) + .milliseconds(milliseconds))
    }

    @Test("A-24 the first who asks fetches, whoever comes meanwhile waits")
    mutating func singleFlight() {
        #expect(lifetime.ask(at: at(0)) == .fetch)
        for moment in 1...500 { #expect(lifetime.ask(at: at(UInt64(moment))) == .wait) }
        lifetime.obtained(sent: at(0), lifetime: .seconds(3600))
        #expect(lifetime.ask(at: at(501)) == .use)
    }

    @Test("A-24 the next token is fetched ahead of the end of this one, which goes on being used")
    mutating func ahead() {
        _ = lifetime.ask(at: at(0))
        lifetime.obtained(sent: at(0), lifetime: .seconds(3600))
        #expect(lifetime.ask(at: at(3_500_000)) == .use)
        #expect(lifetime.ask(at: at(3_540_000)) == .useAndFetch)
        #expect(lifetime.ask(at: at(3_540_000)) == .use)
        #expect(lifetime.failed(.lasting, retryAfter: nil, at: at(3_541_000)) == .given)
        #expect(lifetime.ask(at: at(3_542_000)) == .use)
        #expect(lifetime.ask(at: at(3_571_000)) == .useAndFetch)
        #expect(lifetime.ask(at: at(3_589_000)) == .use)
        #expect(lifetime.ask(at: at(3_600_000)) == .wait)
    }

    @Test("A-24 with its endpoint down an unexpired token goes on being used, an expired one doesn't")
    mutating func down() {
        _ = lifetime.ask(at: at(0))
        lifetime.obtained(sent: at(0), lifetime: .seconds(60))
        #expect(lifetime.ask(at: at(44_000)) == .useAndFetch)
        #expect(lifetime.failed(.lasting, retryAfter: nil, at: at(44_100)) == .given)
        #expect(lifetime.ask(at: at(53_900)) == .use)
        #expect(lifetime.ask(at: at(54_000)) == .failed)
        #expect(lifetime.ask(at: at(74_100)) == .fetch)
    }

    @Test("A-24 a token of one second is used, counted from when it was asked for")
    mutating func oneSecond() {
        _ = lifetime.ask(at: at(0))
        lifetime.obtained(sent: at(0), lifetime: .seconds(1))
        #expect(lifetime.ask(at: at(600)) == .use)
        #expect(lifetime.ask(at: at(800)) == .useAndFetch)
        #expect(lifetime.ask(at: at(890)) == .use)
        #expect(lifetime.ask(at: at(900)) == .wait)
    }

    @Test("A-24 failures that pass are tried again a few times, at doubling pauses, and then left alone for a while")
    mutating func passing() {
        _ = lifetime.ask(at: at(0))
        #expect(lifetime.failed(.passing, retryAfter: nil, at: at(100)) == .retry(at: at(600)))
        #expect(lifetime.ask(at: at(200)) == .wait)
        #expect(lifetime.failed(.passing, retryAfter: nil, at: at(700)) == .retry(at: at(1700)))
        #expect(lifetime.failed(.passing, retryAfter: nil, at: at(1800)) == .given)
        #expect(lifetime.ask(at: at(3799)) == .failed)
        #expect(lifetime.ask(at: at(3800)) == .fetch)
        for moment: UInt64 in [3900, 4500] { _ = lifetime.failed(.passing, retryAfter: nil, at: at(moment)) }
        #expect(lifetime.failed(.passing, retryAfter: nil, at: at(6000)) == .given)
        #expect(lifetime.ask(at: at(9999)) == .failed)
        #expect(lifetime.ask(at: at(10_000)) == .fetch)
    }

    @Test("A-24 a failure that lasts is not tried again by the same fetch, and stands for half a minute")
    mutating func lasting() {
        _ = lifetime.ask(at: at(0))
        #expect(lifetime.failed(.lasting, retryAfter: nil, at: at(100)) == .given)
        for moment in stride(from: UInt64(101), to: 30_100, by: 500) {
            #expect(lifetime.ask(at: at(moment)) == .failed)
        }
        #expect(lifetime.ask(at: at(30_100)) == .fetch)
    }

    @Test("A-24 Retry-After is waited for where that is short, and else ends the fetch for so long, within a bound")
    mutating func retryAfter() {
        _ = lifetime.ask(at: at(0))
        #expect(lifetime.failed(.passing, retryAfter: .seconds(3), at: at(100)) == .retry(at: at(3100)))
        #expect(lifetime.failed(.passing, retryAfter: .seconds(40), at: at(3200)) == .given)
        #expect(lifetime.ask(at: at(43_199)) == .failed)
        #expect(lifetime.ask(at: at(43_200)) == .fetch)
        #expect(lifetime.failed(.lasting, retryAfter: .seconds(86_400), at: at(43_300)) == .given)
        #expect(lifetime.ask(at: at(103_299)) == .failed)
        #expect(lifetime.ask(at: at(103_300)) == .fetch)
    }

    @Test("A-10 a refused secret isn't used any more, and the next one is fetched at once")
    mutating func refused() {
        _ = lifetime.ask(at: at(0))
        lifetime.obtained(sent: at(0), lifetime: nil)
        #expect(lifetime.ask(at: at(1_000_000_000)) == .use)
        lifetime.refused(at: at(1_000_000_000))
        #expect(lifetime.ask(at: at(1_000_000_001)) == .fetch)
        lifetime.refused(at: at(1_000_000_002))
        #expect(lifetime.ask(at: at(1_000_000_003)) == .wait)
    }

    @Test("A-10 one refusal after another doesn't fetch again and again, unless a secret was right in between")
    mutating func refusals() {
        _ = lifetime.ask(at: at(0))
        lifetime.obtained(sent: at(0), lifetime: nil)
        lifetime.refused(at: at(1000))
        #expect(lifetime.ask(at: at(1000)) == .fetch)
        lifetime.obtained(sent: at(1000), lifetime: nil)
        lifetime.refused(at: at(2000))
        #expect(lifetime.ask(at: at(2000)) == .use)
        #expect(lifetime.ask(at: at(10_999)) == .use)
        #expect(lifetime.ask(at: at(11_000)) == .fetch)
        lifetime.obtained(sent: at(11_000), lifetime: nil)
        lifetime.confirmed()
        lifetime.refused(at: at(12_000))
        #expect(lifetime.ask(at: at(12_000)) == .fetch)
    }
}
