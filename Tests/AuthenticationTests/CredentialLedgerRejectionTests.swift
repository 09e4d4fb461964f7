import Bytes
import Testing

@testable import Authentication

/// What the ledger does with a credential that was never confirmed.
struct CredentialLedgerRejectionTests {
    let a = "origin http://a:80"
    let b = "origin http://b:80"
    let c = "origin http://c:80"

    @Test("A-7 one rejection withholds a credential at that origin, whatever the path, and not at another")
    func oneRejection() {
        var fixture = LedgerFixture()
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        _ = fixture.reject(1, at: a)
        #expect(fixture.ask(2, at: a).extent == .server)
        #expect(fixture.ask(3, at: a, "\(a)/elsewhere/", path: "/elsewhere/x").extent == .server)
        #expect(fixture.ask(4, at: b) == .go(isScout: true))
    }

    @Test("A-7 rejections at two origins withhold it everywhere")
    func twoOrigins() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        _ = fixture.ask(2, at: b)
        _ = fixture.reject(2, at: b)
        #expect(fixture.ask(3, at: c).extent == .everywhere)
        #expect(fixture.ask(4, at: a).extent == .everywhere)
    }

    @Test("A-7 a parent and an origin are two servers")
    func parentAndOrigin() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        _ = fixture.ask(2, at: "proxy http://a:80")
        _ = fixture.reject(2, at: "proxy http://a:80")
        #expect(fixture.ask(3, at: c).extent == .everywhere)
    }

    @Test("A-7 twelve origins asked one after another cost a wrong password two attempts")
    func twelveOriginsInTurn() {
        var fixture = LedgerFixture()
        var attempts = 0
        for number in 0..<120 {
            let server = "origin http://h\(number % 12):80"
            guard fixture.ask(number, at: server).isGo else { continue }
            attempts += 1
            _ = fixture.reject(number, at: server)
        }
        #expect(attempts == 2)
    }

    @Test("A-7 twelve origins asked all at once cost a wrong password two attempts")
    func twelveOriginsAtOnce() {
        var fixture = LedgerFixture()
        var attempts = 0
        var asking = Array(0..<120)
        while let number = asking.first {
            asking.removeFirst()
            let server = "origin http://h\(number % 12):80"
            guard fixture.ask(number, at: server).isGo else { continue }
            for other in asking { _ = fixture.ask(other, at: "origin http://h\(other % 12):80") }
            attempts += 1
            asking = fixture.reject(number, at: server) + asking
            #expect(attempts <= 120)
        }
        #expect(attempts == 2)
    }

    @Test("A-7 a thousand requests to one origin cost a wrong password one attempt")
    func oneOriginManyRequests() {
        var fixture = LedgerFixture()
        #expect(fixture.ask(0, at: a).isGo)
        for number in 1..<1000 { #expect(fixture.ask(number, at: a).isWait) }
        #expect(fixture.reject(0, at: a) == Array(1..<1000))
        for number in 1..<1000 { #expect(fixture.ask(number, at: a).extent == .server) }
    }

    @Test("A-7 max_failures is the number of rejections at an origin that the rule allows, one scout at a time")
    func maxFailures() {
        var fixture = LedgerFixture()
        let use = CredentialUse(maxFailures: 3)
        for attempt in 1...3 {
            #expect(fixture.ask(attempt, at: a, use: use) == .go(isScout: true))
            #expect(fixture.ask(10 + attempt, at: a, use: use).isWait)
            _ = fixture.reject(attempt, at: a)
            _ = fixture.leave(10 + attempt)
        }
        #expect(fixture.ask(4, at: a, use: use).extent == .server)
    }

    @Test("A-7 a rule that allows one failure holds back what another rule may still try")
    func maxFailuresOfEachRule() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a, use: CredentialUse(maxFailures: 2))
        _ = fixture.reject(1, at: a)
        #expect(fixture.ask(2, at: a).extent == .server)
        #expect(fixture.ask(3, at: a, use: CredentialUse(maxFailures: 2)).isGo)
    }

    @Test("A-7 max_failures over one makes no difference to two origins")
    func maxFailuresAtTwoOrigins() {
        var fixture = LedgerFixture()
        let use = CredentialUse(maxFailures: 3)
        _ = fixture.ask(1, at: a, use: use)
        _ = fixture.reject(1, at: a)
        _ = fixture.ask(2, at: b, use: use)
        _ = fixture.reject(2, at: b)
        #expect(fixture.ask(3, at: c, use: use).extent == .everywhere)
    }

    @Test("A-7 a release ends it, and the next use has a scout again")
    func release() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        #expect(fixture.ledger.release(name: "nobody") == nil)
        #expect(fixture.ask(2, at: a).extent == .server)
        #expect(fixture.ledger.release(name: "staff") != nil)
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
        #expect(fixture.ask(4, at: a).isWait)
    }

    @Test("A-7 a release of all ends what is withheld everywhere")
    func releaseAll() {
        var fixture = LedgerFixture()
        for server in [a, b] {
            _ = fixture.ask(1, at: server)
            _ = fixture.reject(1, at: server)
        }
        #expect(fixture.ask(2, at: c).extent == .everywhere)
        #expect(fixture.ledger.release(name: nil) != nil)
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
    }

    @Test("A-7 a changed secret starts clean, and what was withheld of the old one stays so")
    func changedSecret() {
        var fixture = LedgerFixture()
        let old = fixture.key
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        fixture.key = CredentialKey(name: "staff", generation: 1)
        _ = fixture.ledger.register([fixture.key])
        #expect(fixture.ask(2, at: a) == .go(isScout: true))
        fixture.key = old
        #expect(fixture.ask(3, at: a).extent == .server)
    }

    @Test("A-7 a reload that leaves the secret alone releases nothing")
    func reloadWithoutChange() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        _ = fixture.ledger.register([fixture.key, CredentialKey(name: "other")])
        #expect(fixture.ask(2, at: a).extent == .server)
    }

    @Test("A-7 an exchange that began before a reload ends with the secret that it began with")
    func exchangeOverAReload() {
        var fixture = LedgerFixture()
        _ = fixture.ledger.register([CredentialKey(name: "staff", generation: 1)])
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        #expect(fixture.ask(2, at: b).isWait)
        _ = fixture.reject(1, at: a)
        #expect(fixture.ask(3, at: a).extent == .server)
        fixture.key = CredentialKey(name: "staff", generation: 1)
        #expect(fixture.ask(4, at: a) == .go(isScout: true))
    }

    @Test("A-7 an exchange that began before several reloads has its secret taken in again")
    func exchangeOverReloads() {
        var fixture = LedgerFixture()
        for generation in 1...3 {
            _ = fixture.ledger.register([CredentialKey(name: "staff", generation: UInt32(generation))])
        }
        #expect(fixture.ask(1, at: a) == .withheld(.replaced))
        fixture.ledger.readmit(fixture.key)
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        #expect(fixture.ledger.report(now: fixture.now).count == 1)
    }

    @Test("A-7 a reload leaves those waiting that wait for the secret that they began with")
    func reloadKeepsWaiting() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ledger.register([]).isEmpty)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.confirm(1, at: a) == [2])
        #expect(fixture.ask(2, at: a) == .go(isScout: false))
    }

    @Test("A-7 with a duration it is withheld for that long and no longer")
    func duration() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a, withholdFor: .seconds(60))
        fixture.pass(seconds: 59)
        let until = LedgerFixture.unixStart + 60
        let expected = Withholding(
            extent: .server,
            server: a,
            target: "",
            since: LedgerFixture.unixStart,
            until: until
        )
        #expect(fixture.ask(2, at: a) == .withheld(expected))
        fixture.pass(seconds: 2)
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
    }

    @Test("A-7 with a duration what is withheld everywhere comes back with one scout")
    func durationEverywhere() {
        var fixture = LedgerFixture()
        for server in [a, b] {
            _ = fixture.ask(1, at: server)
            _ = fixture.reject(1, at: server, withholdFor: .seconds(60))
        }
        #expect(fixture.ask(2, at: c).extent == .everywhere)
        fixture.pass(seconds: 61)
        #expect(fixture.ask(3, at: c) == .go(isScout: true))
        #expect(fixture.ask(4, at: a).isWait)
    }

    @Test("A-7 loops see by the version that something is withheld or released")
    func version() {
        var fixture = LedgerFixture(confirmedAt: a)
        let confirmed = fixture.ledger.version
        #expect(fixture.ledger.isClear(fixture.key, at: a))
        #expect(!fixture.ledger.isClear(fixture.key, at: b))
        _ = fixture.ask(2, at: a)
        _ = fixture.confirm(2, at: a)
        #expect(fixture.ledger.version == confirmed)
        _ = fixture.reject(3, at: a)
        let rejected = fixture.ledger.version
        #expect(rejected > confirmed)
        #expect(!fixture.ledger.isClear(fixture.key, at: a))
        _ = fixture.ledger.release(name: "staff")
        #expect(fixture.ledger.version > rejected)
    }

    @Test("A-7 what is withheld is written for other processes, in order")
    func changes() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        _ = fixture.ask(2, at: b)
        _ = fixture.confirm(2, at: b)
        _ = fixture.ask(3, at: b)
        _ = fixture.confirm(3, at: b)
        let start = LedgerFixture.unixStart
        #expect(
            fixture.ledger.takeChanges().map(\.change) == [
                .rejected(server: a, target: "\(a)/", since: start, until: nil), .confirmed(server: b),
            ]
        )
        #expect(fixture.ledger.takeChanges().isEmpty)
    }
}
