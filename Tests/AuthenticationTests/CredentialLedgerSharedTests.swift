import Bytes
import Testing

@testable import Authentication

/// A ledger that shares its records with other processes and with the next start.
struct CredentialLedgerSharedTests {
    let a = "origin http://a:80"
    let b = "origin http://b:80"
    let c = "origin http://c:80"

    /// A record of another process's doings.
    func record(_ changes: LedgerChange...) -> CredentialRecord {
        var record = CredentialRecord()
        for change in changes { record.apply(change) }
        return record
    }

    func rejection(_ server: String, _ target: String? = nil) -> LedgerChange {
        .rejected(
            server: server,
            target: target ?? "\(server)/",
            since: LedgerFixture.unixStart,
            until: nil
        )
    }

    @Test("A-7b the shared record is read before an unconfirmed credential's first use")
    func readBeforeFirstUse() {
        var fixture = LedgerFixture(isShared: true)
        #expect(fixture.ask(1, at: a).isWait)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ledger.takeRefreshes() == [fixture.key])
        let woken = fixture.ledger.refreshed(fixture.key)
        #expect(woken.map(\.exchange) == [1], "one is woken to be the scout")
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.ledger.takeRefreshes().isEmpty)
    }

    @Test("A-7b it is read again before each further scout, and not once confirmed")
    func readBeforeEachScout() {
        var fixture = LedgerFixture(isShared: true)
        _ = fixture.ask(1, at: a)
        _ = fixture.ledger.takeRefreshes()
        _ = fixture.ledger.refreshed(fixture.key)
        _ = fixture.ask(1, at: a)
        #expect(fixture.ask(2, at: a).isWait)
        #expect(fixture.noVerdict(1).isEmpty)
        #expect(fixture.ledger.takeRefreshes() == [fixture.key])
        #expect(fixture.ledger.refreshed(fixture.key).map(\.exchange) == [2])
        #expect(fixture.ask(2, at: a) == .go(isScout: true))
        _ = fixture.confirm(2, at: a)
        #expect(fixture.ask(3, at: b) == .go(isScout: true))
        #expect(fixture.ledger.takeRefreshes().isEmpty)
    }

    @Test("A-7b what another process saw rejected is not tried here")
    func rejectedElsewhere() {
        var fixture = LedgerFixture(isShared: true)
        #expect(fixture.ask(1, at: a).isWait)
        #expect(fixture.ask(2, at: b).isWait)
        #expect(fixture.ledger.adopt(record(rejection(a)), for: fixture.key, unwritten: []).map(\.exchange) == [1])
        #expect(fixture.ask(1, at: a).extent == .server)
        #expect(fixture.ledger.refreshed(fixture.key).map(\.exchange) == [2])
        #expect(fixture.ask(2, at: b) == .go(isScout: true))
        _ = fixture.reject(2, at: b)
        #expect(fixture.ask(3, at: c).extent == .everywhere, "one rejection each of two processes")
    }

    @Test("A-7b what happened here and isn't written yet is added to what others wrote")
    func unwritten() {
        var fixture = LedgerFixture(isShared: true)
        _ = fixture.ask(1, at: a)
        _ = fixture.ledger.refreshed(fixture.key)
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        _ = fixture.ledger.adopt(record(rejection(b)), for: fixture.key, unwritten: [])
        #expect(fixture.ask(2, at: c).extent == .everywhere)
        let taken = fixture.ledger.takeChanges().map(\.change)
        _ = fixture.ledger.adopt(record(rejection(b)), for: fixture.key, unwritten: taken)
        #expect(fixture.ask(2, at: c).extent == .everywhere)
        _ = fixture.ledger.adopt(record(), for: fixture.key, unwritten: [])
        #expect(!(fixture.ask(2, at: c).extent == .everywhere), "released by another process")
    }

    @Test("A-7c a policy 407 on the first request after a restart doesn't lock a confirmed credential")
    func policyAfterRestart() {
        var fixture = LedgerFixture(isShared: true)
        _ = fixture.ledger.adopt(record(.confirmed(server: a)), for: fixture.key, unwritten: [])
        #expect(fixture.ask(1, at: a, "http://blocked:80").isWait)
        _ = fixture.ledger.refreshed(fixture.key)
        #expect(fixture.ask(1, at: a, "http://blocked:80") == .go(isScout: true))
        _ = fixture.reject(1, at: a, "http://blocked:80")
        #expect(fixture.ask(2, at: a, "http://blocked:80").extent == .target)
        #expect(fixture.ask(3, at: a, "http://open:80").isWait)
        _ = fixture.ledger.refreshed(fixture.key)
        #expect(fixture.ask(3, at: a, "http://open:80") == .go(isScout: true))
        _ = fixture.confirm(3, at: a, "http://open:80")
        #expect(fixture.ask(4, at: a, "http://other:80") == .go(isScout: false))
    }

    @Test("A-7c after a restart a confirmed password that is wrong by now costs two attempts in all")
    func wrongAfterRestart() {
        var fixture = LedgerFixture(isShared: true)
        _ = fixture.ledger.adopt(record(.confirmed(server: a)), for: fixture.key, unwritten: [])
        var attempts = 0
        for number in 0..<60 {
            let server = [a, b, c][number % 3]
            _ = fixture.ask(number, at: server)
            for key in fixture.ledger.takeRefreshes() { _ = fixture.ledger.refreshed(key) }
            guard fixture.ask(number, at: server).isGo else { continue }
            attempts += 1
            _ = fixture.reject(number, at: server)
        }
        #expect(attempts == 2)
    }

    @Test("A-7c the doubt of a rejection outlives a restart")
    func doubtAfterRestart() {
        var fixture = LedgerFixture(isShared: true)
        let shared = record(.confirmed(server: a), rejection(a, "\(a)/x/"))
        _ = fixture.ledger.adopt(shared, for: fixture.key, unwritten: [])
        #expect(fixture.ask(1, at: a, "\(a)/x/").extent == .target)
        _ = fixture.ask(2, at: b)
        _ = fixture.ledger.refreshed(fixture.key)
        #expect(fixture.ask(2, at: b) == .go(isScout: true))
        _ = fixture.reject(2, at: b)
        #expect(fixture.ask(3, at: c).extent == .everywhere)
    }

    @Test("A-7b nobody goes by a rejection, and nobody goes without it, before it is written")
    func actsOnNothingUnwritten() {
        var fixture = LedgerFixture(isShared: true)
        for (number, server) in [(1, a), (2, a), (3, b)] { #expect(fixture.ask(number, at: server).isWait) }
        _ = fixture.ledger.refreshed(fixture.key)
        #expect(fixture.ask(1, at: a) == .go(isScout: true))
        _ = fixture.ledger.takeRefreshes()
        #expect(fixture.ledger.recordingEnd(of: LedgerFixture.waiter(1)) == nil)
        #expect(fixture.reject(1, at: a, isWritten: false).isEmpty, "nobody is woken yet")
        #expect(fixture.ledger.recordingEnd(of: LedgerFixture.waiter(1)) == fixture.now.advanced(bySeconds: 6))
        #expect(fixture.ledger.recordingEnd(of: LedgerFixture.waiter(2)) == nil)
        #expect(fixture.ask(2, at: a).isWait, "it isn't told of the rejection")
        #expect(fixture.ask(3, at: b).isWait, "it isn't made a scout")
        #expect(fixture.ledger.refreshed(fixture.key).isEmpty)
        #expect(fixture.ask(4, at: c).isWait)
        #expect(fixture.ledger.recorded(through: fixture.ledger.changeCount).map(\.exchange) == [1, 2, 3])
        #expect(fixture.ledger.recordingEnd(of: LedgerFixture.waiter(1)) == nil)
        #expect(fixture.ask(2, at: a).extent == .server)
        #expect(fixture.ask(3, at: b) == .go(isScout: true))
        fixture.checkInvariants()
    }

    @Test("A-7b a rejection that comes while others are written waits for its own writing")
    func writtenInPart() {
        var fixture = LedgerFixture(isShared: true)
        _ = fixture.ask(1, at: a)
        _ = fixture.ledger.refreshed(fixture.key)
        _ = fixture.ask(1, at: a)
        fixture.pass(seconds: 5.5)
        _ = fixture.ask(2, at: b)
        _ = fixture.ledger.refreshed(fixture.key)
        #expect(fixture.ask(2, at: b) == .go(isScout: true))
        _ = fixture.reject(1, at: a, isWritten: false)
        let first = fixture.ledger.changeCount
        _ = fixture.reject(2, at: b, isWritten: false)
        #expect(fixture.ledger.recorded(through: first).map(\.exchange) == [1])
        #expect(fixture.ledger.recordingEnd(of: LedgerFixture.waiter(2)) != nil)
        #expect(fixture.ask(3, at: c).isWait)
        #expect(fixture.ledger.recorded(through: first + 1).map(\.exchange) == [2, 3])
        #expect(fixture.ask(3, at: c).extent == .everywhere)
    }

    @Test("A-7b a writing that hangs is waited for six seconds, and no longer")
    func writingHangs() {
        var fixture = LedgerFixture(isShared: true)
        _ = fixture.ask(1, at: a)
        _ = fixture.ledger.refreshed(fixture.key)
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a, isWritten: false)
        let end = fixture.now.advanced(bySeconds: 6)
        fixture.pass(seconds: 2)
        #expect(fixture.ask(2, at: a) == .wait(until: end))
        fixture.pass(seconds: 4)
        #expect(fixture.ask(2, at: a).extent == .server)
        #expect(fixture.ledger.recordingEnd(of: LedgerFixture.waiter(1)) == nil)
    }

    @Test("A-7b a doubt that another process has makes this one send a scout too")
    func doubtElsewhere() {
        var fixture = LedgerFixture(confirmedAt: a)
        _ = fixture.ledger.takeChanges()
        let before = fixture.ledger.version
        let shared = record(.confirmed(server: a), rejection(a, "\(a)/x/"))
        _ = fixture.ledger.adopt(shared, for: fixture.key, unwritten: [])
        #expect(fixture.ledger.version > before)
        #expect(fixture.ask(1, at: a, "\(a)/y/") == .go(isScout: true))
        #expect(fixture.ask(2, at: a, "\(a)/z/").isWait)
    }

    @Test("A-7b what was confirmed stays so when the record was dropped to make room")
    func droppedRecord() {
        var fixture = LedgerFixture(confirmedAt: a)
        _ = fixture.ledger.adopt(record(), for: fixture.key, unwritten: [])
        #expect(fixture.ask(1, at: a) == .go(isScout: false))
    }

    @Test("A-7b a report says what is withheld, where, since when, and nothing else")
    func report() {
        var fixture = LedgerFixture()
        _ = fixture.ask(1, at: a)
        _ = fixture.reject(1, at: a)
        _ = fixture.ask(2, at: b)
        #expect(fixture.ask(3, at: b).isWait)
        let withheld = Withholding(
            extent: .server,
            server: a,
            target: "",
            since: LedgerFixture.unixStart,
            until: nil
        )
        let expected = CredentialReport(
            name: "staff",
            standing: .unconfirmed,
            withholdings: [withheld],
            scouts: 1,
            waiting: 1
        )
        #expect(fixture.ledger.report(now: fixture.now) == [expected])
    }
}
