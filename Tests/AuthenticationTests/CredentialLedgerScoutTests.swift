import Bytes
import Testing

@testable import Authentication

/// Who goes first and who waits.
struct CredentialLedgerScoutTests {
    let a = "origin http://a:80"
    let b = "origin http://b:80"
    let heavy = CredentialUse(isHeavy: true)

    @Test("A-8 of many concurrent requests, whatever their origins, exactly one goes")
    func exactlyOne() {
        var fixture = LedgerFixture()
        var scouts = 0
        for number in 0..<200 where fixture.ask(number, at: "origin http://h\(number % 9):80").isGo {
            scouts += 1
        }
        #expect(scouts == 1)
    }

    @Test("A-8 asking again keeps the role, and the turn")
    func askingAgain() {
        var fixture = LedgerFixture()
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.leave(1) == [2])
    }

    @Test("A-8 the role passes to exactly one waiter when the scout's client leaves")
    func scoutLeaves() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        for number in 2...5 { #expect(fixture.ask(number, at: a).isWait) }
        #expect(fixture.leave(1) == [2])
        #expect(fixture.ask(4, at: a).isWait, "only the one that was promised the role gets it")
        #expect(fixture.ask(2, at: a) == .go(isScout: true))
        #expect(fixture.ask(3, at: a).isWait)
    }

    @Test("A-8 the role passes to exactly one waiter when there is no verdict")
    func noVerdict() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        for number in 2...4 { #expect(fixture.ask(number, at: b).isWait) }
        for number in 1...3 {
            #expect(fixture.noVerdict(number) == [number + 1])
            #expect(fixture.ask(number + 1, at: b) == .go(isScout: true))
        }
        #expect(fixture.noVerdict(4).isEmpty)
    }

    @Test("A-8 the role passes on after a rejection elsewhere")
    func afterRejection() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: b).isWait)
        #expect(fixture.ask(4, at: b).isWait)
        #expect(fixture.reject(1, at: a) == [2, 3], "one to be told, one to be the scout")
        #expect(fixture.ask(2, at: a).extent == .server)
        #expect(fixture.ask(3, at: b) == .go(isScout: true))
        #expect(fixture.ask(4, at: b).isWait)
    }

    @Test("A-8 a promise to a waiter that leaves passes on")
    func promisedLeaves() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.leave(1) == [2])
        #expect(fixture.leave(2) == [3])
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
    }

    @Test("A-8 a wake-up that comes late takes a promise back, and no role that was taken up")
    func wokenLate() {
        var fixture = LedgerFixture()
        for number in 1...3 { _ = fixture.ask(number, at: a) }
        #expect(fixture.noVerdict(1) == [2])
        #expect(fixture.ask(2, at: a) == .go(isScout: true))
        #expect(fixture.ledger.declined(LedgerFixture.waiter(2)).isEmpty)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.noVerdict(2) == [3])
        _ = fixture.ask(4, at: a)
        #expect(fixture.ledger.declined(LedgerFixture.waiter(3)).map(\.exchange) == [4])
        fixture.checkInvariants()
    }

    @Test("A-8 a waiter that leaves changes nothing")
    func waiterLeaves() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.leave(2).isEmpty)
        #expect(fixture.leave(1) == [3])
    }

    @Test("A-8 a wake-up that is lost costs a second at most")
    func lostWake() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.leave(1) == [2])
        let answer = fixture.ask(3, at: a)
        #expect(answer == .wait(until: fixture.now.advanced(bySeconds: 1)))
        fixture.pass(seconds: 1)
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
        #expect(fixture.ask(2, at: a).isWait)
    }

    @Test("A-8 after five seconds without a verdict a second scout goes, never more than two")
    func secondScout() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a) == .wait(until: fixture.now.advanced(bySeconds: 5)))
        #expect(fixture.ask(3, at: a).isWait)
        fixture.pass(seconds: 4.9)
        #expect(fixture.ask(2, at: a).isWait)
        fixture.pass(seconds: 0.1)
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
        #expect(fixture.ask(2, at: a).isWait)
        fixture.pass(seconds: 100)
        for number in 4..<50 { #expect(fixture.ask(number, at: a).isWait) }
    }

    @Test("A-8 a second scout's verdict frees the others while the first is still under way")
    func secondScoutConfirms() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        fixture.pass(seconds: 5)
        #expect(fixture.ask(2, at: a) == .go(isScout: true))
        #expect(fixture.confirm(2, at: a) == [3])
    }

    @Test("A-8 of two scouts the second is replaced at once, the first only when the second took long too")
    func twoScoutsLeave() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.ask(4, at: a).isWait)
        fixture.pass(seconds: 5)
        #expect(fixture.ask(2, at: a) == .go(isScout: true))
        #expect(fixture.noVerdict(2) == [3])
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
        #expect(fixture.noVerdict(1).isEmpty)
        let answer = fixture.ask(4, at: a)
        #expect(answer == .wait(until: fixture.now.advanced(bySeconds: 5)))
        fixture.pass(seconds: 5)
        #expect(fixture.ask(4, at: a) == .go(isScout: true))
    }

    @Test("A-8 a heavy body is no scout while one without waits")
    func heavyWaits() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a, use: heavy).isWait)
        #expect(fixture.ask(3, at: b, use: heavy).isWait)
        #expect(fixture.ask(4, at: a).isWait)
        #expect(fixture.leave(1) == [4])
        #expect(fixture.ask(4, at: a) == .go(isScout: true))
        #expect(fixture.leave(4) == [2])
        #expect(fixture.ask(2, at: a, use: heavy) == .go(isScout: true))
    }

    @Test("A-8 a heavy body goes where nothing else does")
    func heavyAlone() {
        var fixture = LedgerFixture()
        #expect(fixture.ask(1, at: a, use: heavy) == .go(isScout: true))
    }

    @Test("A-8 a heavy body that comes after five seconds leaves the second scout to a light one")
    func heavySecondScout() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a, use: heavy).isWait)
        #expect(fixture.ask(3, at: a).isWait)
        fixture.pass(seconds: 5)
        #expect(fixture.ask(2, at: a, use: heavy).isWait)
        #expect(fixture.woken == [3])
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
    }

    @Test("A-8 a scout that asks for another server without a verdict leaves its role there")
    func scoutMoves() {
        var fixture = LedgerFixture(confirmedAt: a)
        #expect(fixture.ask(2, at: b) == .go(isScout: true))
        #expect(fixture.ask(3, at: b).isWait)
        #expect(fixture.ask(2, at: a) == .go(isScout: false))
        #expect(fixture.woken == [3])
        #expect(fixture.ask(3, at: b) == .go(isScout: true))
    }

    @Test("A-8 leaving ends what an exchange waits for at every credential")
    func leavesAll() {
        var fixture = LedgerFixture()
        let other = CredentialKey(name: "other")
        _ = fixture.ledger.register([fixture.key, other])
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        let staff = fixture.key
        fixture.key = other
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(3, at: a).isWait)
        #expect(fixture.leave(1).sorted() == [2, 3])
        #expect(fixture.ask(3, at: a) == .go(isScout: true))
        fixture.key = staff
        #expect(fixture.ask(2, at: a) == .go(isScout: true))
    }
}
