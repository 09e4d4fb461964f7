import Bytes
import Testing

@testable import Authentication

/// Random interleavings of many exchanges, with clients that leave, wake-ups that are lost, slow servers and servers
/// that fail, played against servers whose opinion of the password is known.
struct CredentialLedgerModelTests {
    @Test("A-7 a wrong password costs two attempts in all and one at a server, but for second scouts", arguments: 0..<7)
    func wrongPassword(block: UInt64) {
        for seed in block * 60..<(block + 1) * 60 {
            var world = LedgerWorld(seed: seed, opinion: .wrong)
            world.run()
            #expect(world.rejections(countingSecondScouts: false) <= 2, "seed \(seed)")
            #expect(world.rejectionsAtOneServer(countingSecondScouts: false) <= 1, "seed \(seed)")
            #expect(world.rejections(countingSecondScouts: true) <= 4, "seed \(seed)")
            #expect(world.confirmations == 0)
            #expect(world.unfinished.isEmpty, "seed \(seed): \(world.unfinished)")
        }
    }

    @Test("A-8 a right password lets every exchange through in the end", arguments: 0..<7)
    func rightPassword(block: UInt64) {
        for seed in block * 60..<(block + 1) * 60 {
            var world = LedgerWorld(seed: 1_000_000 + seed, opinion: .right)
            world.run()
            #expect(world.withheld == 0, "seed \(seed)")
            #expect(world.unfinished.isEmpty, "seed \(seed): \(world.unfinished)")
        }
    }

    @Test("A-7c a password that stops being right costs two attempts, but for what was under way", arguments: 0..<7)
    func changedPassword(block: UInt64) {
        for seed in block * 60..<(block + 1) * 60 {
            var world = LedgerWorld(seed: 2_000_000 + seed, opinion: .rightUntilStep(Int(seed % 80) + 20))
            world.run()
            #expect(world.attemptsInDoubt <= 1, "seed \(seed)")
            #expect(world.unfinished.isEmpty, "seed \(seed): \(world.unfinished)")
        }
    }
}

/// The exchanges, the servers and the clock of one run.
private struct LedgerWorld {
    enum Opinion {
        case right
        case wrong
        case rightUntilStep(Int)
    }

    enum Phase: Equatable {
        case idle
        case waiting(until: Instant)
        case sent(Letter, LedgerPlace)
        case done
    }

    struct Letter: Equatable {
        let isScout: Bool
        /// Another scout was under way when it was let go.
        let isSecond: Bool
        /// It was let go alone, after a rejection that no confirmation had followed.
        let isInDoubt: Bool
        let isRight: Bool
    }

    let opinion: Opinion
    var random: SplitMix
    var fixture: LedgerFixture
    var phases: [Phase]
    var woken: [Int] = []
    var step = 0
    var rejected: [(server: String, isSecond: Bool)] = []
    var confirmations = 0
    var withheld = 0
    var attemptsInDoubt = 0
    var hasDoubt = false

    init(seed: UInt64, opinion: Opinion) {
        self.opinion = opinion
        random = SplitMix(state: seed)
        fixture = LedgerFixture(isShared: seed % 2 == 1)
        phases = Array(repeating: .idle, count: 24)
    }

    var unfinished: [Int] { phases.indices.filter { phases[$0] != .done } }

    func rejections(countingSecondScouts: Bool) -> Int {
        rejected.filter { countingSecondScouts || !$0.isSecond }.count
    }

    func rejectionsAtOneServer(countingSecondScouts: Bool) -> Int {
        let counted = rejected.filter { countingSecondScouts || !$0.isSecond }
        return Dictionary(grouping: counted, by: \.server).values.map(\.count).max() ?? 0
    }

    mutating func run() {
        for _ in 0..<160 {
            step += 1
            tick(random.next(6) == 0 ? Double(random.next(60)) / 10 : 0.01)
            act(on: random.next(phases.count), isPatient: true)
            if canBeReleased, random.next(40) == 0 {
                woken += (fixture.ledger.release(name: nil) ?? []).map { Int($0.exchange) }
                fixture.checkInvariants()
            }
        }
        // From here on nobody leaves and no server fails, so that everything has to come to its end.
        for _ in 0..<80 {
            step += 1
            tick(1.1)
            for number in phases.indices { act(on: number, isPatient: false) }
        }
    }

    private mutating func tick(_ seconds: Double) {
        fixture.pass(seconds: seconds)
        let waking = woken
        woken.removeAll()
        if random.next(3) == 0 {
            // What another thread reads for the scouts comes when it comes.
            for key in fixture.ledger.takeRefreshes() {
                woken += fixture.ledger.refreshed(key).map { Int($0.exchange) }
            }
        }
        if random.next(3) == 0 {
            // And writes what happened when it does.
            let written = fixture.ledger.recorded(through: fixture.ledger.changeCount)
            woken += written.map { Int($0.exchange) }
            fixture.checkInvariants()
        }
        // One wake-up in ten is lost.
        for number in waking where random.next(10) != 0 {
            if case .waiting = phases[number] { ask(number) }
        }
    }

    private mutating func act(on number: Int, isPatient: Bool) {
        switch phases[number] {
        case .idle:
            ask(number)
        case .waiting(let until):
            if isPatient, random.next(12) == 0 { return leave(number) }
            if until <= fixture.now { ask(number) }
        case .sent(let letter, let place):
            if isPatient, random.next(3) == 0 { return }
            if isPatient, random.next(8) == 0 { return leave(number) }
            if isPatient, random.next(6) == 0 { return failAndAskAgain(number) }
            finish(number, at: place, letter)
        case .done:
            break
        }
    }

    private mutating func ask(_ number: Int) {
        let server = "origin http://h\(number % 5):80"
        let place = LedgerFixture.place(server, "\(server)/\(number % 3)/")
        let use = CredentialUse(isHeavy: number % 7 == 0)
        let standing = fixture.ledger.entries[fixture.key]?.standing
        let others = scoutsUnderWay(but: number, at: standing == .confirmed ? server : nil)
        let answer = fixture.ask(number, at: server, place.target, use: use)
        woken += fixture.woken
        fixture.woken.removeAll()
        switch answer {
        case .go(let isScout):
            if isScout { #expect(others <= 1, "a third scout") }
            let isInDoubt = hasDoubt && scoutsUnderWay(but: number, at: nil) == 0
            let letter = Letter(isScout: isScout, isSecond: others > 0, isInDoubt: isInDoubt, isRight: isRightNow)
            phases[number] = .sent(letter, place)
        case .wait(let until):
            #expect(until > fixture.now)
            phases[number] = .waiting(until: until)
        case .withheld:
            withheld += 1
            phases[number] = .done
        }
    }

    private mutating func finish(_ number: Int, at place: LedgerPlace, _ letter: Letter) {
        phases[number] = .done
        if letter.isRight {
            confirmations += 1
            woken += fixture.confirm(number, at: place.server, place.target)
        } else {
            rejected.append((place.server, letter.isSecond))
            if letter.isInDoubt { attemptsInDoubt += 1 }
            woken += fixture.reject(number, at: place.server, place.target, isWritten: false)
        }
        let record = fixture.ledger.entries[fixture.key]?.record
        hasDoubt = record?.doubt != nil
    }

    private mutating func failAndAskAgain(_ number: Int) {
        woken += fixture.noVerdict(number)
        phases[number] = .idle
    }

    private mutating func leave(_ number: Int) {
        woken += fixture.leave(number)
        phases[number] = .done
    }

    private var canBeReleased: Bool {
        switch opinion {
        case .right: true
        case .wrong, .rightUntilStep: false
        }
    }

    private var isRightNow: Bool {
        switch opinion {
        case .right: true
        case .wrong: false
        case .rightUntilStep(let last): step <= last
        }
    }

    private func scoutsUnderWay(but number: Int, at server: String?) -> Int {
        phases.indices.filter { other in
            guard other != number, case .sent(let letter, let place) = phases[other], letter.isScout else {
                return false
            }
            return server == nil || place.server == server
        }.count
    }
}

/// A generator whose numbers are the same for the same seed [Steele, Lea and Flood, 2014].
private struct SplitMix {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        return Int(mixed % UInt64(bound))
    }
}
