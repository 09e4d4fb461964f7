import Bytes
import Testing

@testable import Authentication

/// What the ledger does with a credential that was confirmed, and what confirms one.
struct CredentialLedgerConfirmationTests {
    let a = "origin http://a:80"
    let b = "origin http://b:80"
    let c = "origin http://c:80"
    let parent = "proxy http://p:3128"

    @Test("A-6b an answer that is confirmed lets all go at that origin")
    func confirmation() {
        var fixture = LedgerFixture()
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.confirm(1, at: a) == [2, 3])
        #expect(fixture.ask(2, at: a) == .go(isScout: false))
        #expect(fixture.ask(3, at: a) == .go(isScout: false))
    }

    @Test("A-6b a value sent ahead where nothing was challenged counts for its own path only")
    func unchallenged() {
        var fixture = LedgerFixture()
        let ahead = CredentialUse(isSentAheadUnchallenged: true)
        #expect(fixture.ask(1, at: a, path: "/x", use: ahead) == .go(isScout: true))
        #expect(fixture.ask(2, at: a, path: "/x", use: ahead).isWait)
        #expect(fixture.ask(3, at: a, path: "/y", use: ahead).isWait)
        let woken = fixture.confirm(1, at: a, path: "/x", basis: .unchallenged)
        #expect(woken == [2, 3], "one is free to go, one is promised the role")
        #expect(fixture.ask(2, at: a, path: "/x", use: ahead) == .go(isScout: false))
        #expect(fixture.ask(3, at: a, path: "/y", use: ahead) == .go(isScout: true))
        #expect(fixture.ask(4, at: a, path: "/z", use: ahead).isWait)
    }

    @Test("A-6b a value sent ahead and never challenged is no confirmation for A-7")
    func unchallengedThenRejected() {
        var fixture = LedgerFixture()
        let ahead = CredentialUse(isSentAheadUnchallenged: true)
        _ = fixture.ask(1, at: a, path: "/x", use: ahead)
        _ = fixture.confirm(1, at: a, path: "/x", basis: .unchallenged)
        #expect(fixture.ask(2, at: a, path: "/private").isGo)
        _ = fixture.reject(2, at: a)
        #expect(fixture.ask(3, at: a, path: "/x", use: ahead).extent == .server)
        #expect(fixture.ask(4, at: b).isGo)
        _ = fixture.reject(4, at: b)
        #expect(fixture.ask(5, at: c).extent == .everywhere)
    }

    @Test("A-6b a rejection ends what was sent ahead unchallenged at that server, also where max_failures allows more")
    func unchallengedThenOneFailure() {
        var fixture = LedgerFixture()
        let ahead = CredentialUse(isSentAheadUnchallenged: true, maxFailures: 3)
        _ = fixture.ask(1, at: a, path: "/x", use: ahead)
        _ = fixture.confirm(1, at: a, path: "/x", basis: .unchallenged)
        #expect(fixture.ask(2, at: a, path: "/private", use: CredentialUse(maxFailures: 3)).isGo)
        _ = fixture.reject(2, at: a)
        #expect(fixture.ask(3, at: a, path: "/x", use: ahead) == .go(isScout: true))
        #expect(fixture.ask(4, at: a, path: "/x", use: ahead).isWait)
    }

    @Test("A-6b a path that is challenged after all needs a scout again")
    func pathChallengedLater() {
        var fixture = LedgerFixture()
        let ahead = CredentialUse(isSentAheadUnchallenged: true)
        _ = fixture.ask(1, at: a, path: "/x", use: ahead)
        _ = fixture.confirm(1, at: a, path: "/x", basis: .unchallenged)
        #expect(fixture.ask(2, at: a, path: "/x") == .go(isScout: true))
        #expect(fixture.ask(3, at: a, path: "/x", use: ahead).isWait)
    }

    @Test("A-6b no verdict blocks nothing")
    func noVerdict() {
        var fixture = LedgerFixture()
        for number in 1...10 {
            #expect(fixture.ask(number, at: a) == .go(isScout: true))
            #expect(fixture.noVerdict(number).isEmpty)
        }
        #expect(fixture.ledger.takeChanges().isEmpty)
    }

    @Test("A-7c a rejection of a confirmed credential is tried by one scout at another target")
    func oneScoutElsewhere() {
        var fixture = LedgerFixture(confirmedAt: a)
        _ = fixture.reject(2, at: a, "\(a)/x/")
        #expect(fixture.ask(3, at: a, "\(a)/x/").extent == .target)
        #expect(fixture.ask(4, at: a, "\(a)/y/") == .go(isScout: true))
        #expect(fixture.ask(5, at: a, "\(a)/z/").isWait)
        #expect(fixture.ask(6, at: b).isWait)
        let woken = fixture.confirm(4, at: a, "\(a)/y/")
        #expect(woken == [5, 6], "one is free, one is the scout at its new origin")
        #expect(fixture.ask(5, at: a, "\(a)/z/") == .go(isScout: false))
        #expect(fixture.ask(6, at: b) == .go(isScout: true))
        #expect(fixture.ask(7, at: a, "\(a)/x/").extent == .target)
    }

    @Test("A-7c rejected at another target with no confirmation in between it is withheld everywhere")
    func secondRejection() {
        var fixture = LedgerFixture(confirmedAt: a)
        _ = fixture.reject(2, at: a, "\(a)/x/")
        #expect(fixture.ask(3, at: a, "\(a)/y/") == .go(isScout: true))
        #expect(fixture.ask(4, at: b).isWait)
        #expect(fixture.reject(3, at: a, "\(a)/y/") == [4])
        #expect(fixture.ask(4, at: b).extent == .everywhere)
    }

    @Test("A-7c a password that stops being right costs two attempts in all")
    func twoAttemptsInAll() {
        var fixture = LedgerFixture(confirmedAt: a)
        for server in [b, c] {
            _ = fixture.ask(1, at: server)
            _ = fixture.confirm(1, at: server)
        }
        var attempts = 0
        for number in 10..<400 {
            let server = [a, b, c][number % 3]
            let target = "\(server)/\(number % 7)/"
            guard fixture.ask(number, at: server, target).isGo else { continue }
            attempts += 1
            _ = fixture.reject(number, at: server, target)
        }
        #expect(attempts == 2)
    }

    @Test("A-7c a policy 407 on one URL blocks only that, and costs one attempt")
    func policy407() {
        var fixture = LedgerFixture(confirmedAt: parent)
        var blocked = 0
        for number in 10..<100 {
            if fixture.ask(number, at: parent, "http://blocked:80").isGo {
                blocked += 1
                _ = fixture.reject(number, at: parent, "http://blocked:80")
            }
            #expect(fixture.ask(1000 + number, at: parent, "http://open:80").isGo)
            _ = fixture.confirm(1000 + number, at: parent, "http://open:80")
        }
        #expect(blocked == 1)
    }

    @Test("A-7c each of many blocked URLs costs one attempt while others are confirmed in between")
    func manyPolicy407s() {
        var fixture = LedgerFixture(confirmedAt: parent)
        for number in 0..<50 {
            let target = "http://blocked\(number):80"
            #expect(fixture.ask(number, at: parent, target).isGo)
            _ = fixture.reject(number, at: parent, target)
            #expect(fixture.ask(number, at: parent, target).extent == .target)
            #expect(fixture.ask(1000, at: parent, "http://open:80") == .go(isScout: true))
            _ = fixture.confirm(1000, at: parent, "http://open:80")
        }
    }

    @Test("A-7c rejections of requests that were under way to one target count as one")
    func rejectionsUnderWay() {
        var fixture = LedgerFixture(confirmedAt: a)
        for number in 2...9 { #expect(fixture.ask(number, at: a) == .go(isScout: false)) }
        for number in 2...9 { _ = fixture.reject(number, at: a) }
        #expect(fixture.ask(10, at: a).extent == .target)
        #expect(fixture.ask(11, at: b) == .go(isScout: true))
    }

    @Test("A-7c a request sent before the rejection doesn't end the doubt, whatever it brings")
    func oldConfirmations() {
        var fixture = LedgerFixture(confirmedAt: a)
        #expect(fixture.ask(2, at: a) == .go(isScout: false))
        #expect(fixture.ask(3, at: b) == .go(isScout: true))
        _ = fixture.reject(4, at: a, "\(a)/x/")
        _ = fixture.confirm(2, at: a)
        #expect(fixture.ask(5, at: a, "\(a)/y/").isWait, "3 is still under way")
        #expect(fixture.confirm(3, at: b) == [5])
        #expect(fixture.ask(5, at: a, "\(a)/y/") == .go(isScout: true))
        _ = fixture.reject(5, at: a, "\(a)/y/")
        #expect(fixture.ask(6, at: a).extent == .everywhere)
    }

    @Test("A-7c at most 1,000 targets are held for a credential")
    func targetBound() {
        var fixture = LedgerFixture(confirmedAt: a)
        for number in 0..<1100 {
            #expect(fixture.ask(2, at: a, "\(a)/ok/").isGo)
            _ = fixture.confirm(2, at: a, "\(a)/ok/")
            #expect(fixture.ask(3, at: a, "\(a)/\(number)/").isGo)
            _ = fixture.reject(3, at: a, "\(a)/\(number)/")
        }
        let held = fixture.ledger.entries[fixture.key]?.withheldTargets.count ?? 0
        #expect(held > 800 && held <= 1000)
        #expect(fixture.ask(4, at: a, "\(a)/1099/").extent == .target)
    }

    @Test("A-7c a duration ends what is withheld for a target")
    func targetDuration() {
        var fixture = LedgerFixture(confirmedAt: a)
        _ = fixture.reject(2, at: a, "\(a)/x/", withholdFor: .seconds(30))
        #expect(fixture.ask(3, at: a, "\(a)/x/").extent == .target)
        fixture.pass(seconds: 31)
        #expect(fixture.ask(4, at: a, "\(a)/x/") == .go(isScout: true))
    }

    @Test("A-7c after a release a confirmed credential has one scout in all, and one more rejection is only doubt")
    func releaseOfConfirmed() {
        var fixture = LedgerFixture(confirmedAt: a)
        _ = fixture.reject(2, at: a)
        _ = fixture.ask(3, at: b)
        _ = fixture.reject(3, at: b)
        #expect(fixture.ask(4, at: a).extent == .everywhere)
        _ = fixture.ledger.release(name: "staff")
        #expect(fixture.ask(5, at: a) == .go(isScout: true))
        #expect(fixture.ask(6, at: b).isWait)
        _ = fixture.reject(5, at: a)
        #expect(fixture.ask(6, at: b) == .go(isScout: true))
        _ = fixture.confirm(6, at: b)
        #expect(fixture.ask(7, at: b) == .go(isScout: false))
    }

    @Test("A-8 one confirmed elsewhere has one scout at each new origin")
    func newOrigins() {
        var fixture = LedgerFixture(confirmedAt: a)
        #expect(fixture.ask(2, at: b) == .go(isScout: true))
        #expect(fixture.ask(3, at: b).isWait)
        #expect(fixture.ask(4, at: c) == .go(isScout: true))
        #expect(fixture.ask(5, at: c).isWait)
        #expect(fixture.ask(6, at: a) == .go(isScout: false))
        #expect(fixture.confirm(2, at: b) == [3])
        #expect(fixture.ask(5, at: c).isWait)
        #expect(fixture.confirm(4, at: c) == [5])
    }
}
