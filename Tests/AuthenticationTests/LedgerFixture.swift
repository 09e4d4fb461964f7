import Bytes
import Testing

@testable import Authentication

/// A ledger with one credential, a clock that the test moves, and short words for its events.
struct LedgerFixture {
    static let startOfTime = Instant(nanoseconds: 1_000_000_000_000)
    static let unixStart: Int64 = 1_800_000_000

    var ledger: CredentialLedger
    var key = CredentialKey(name: "staff")
    var now = LedgerFixture.startOfTime
    /// Who was woken by an `ask` of somebody else.
    var woken: [Int] = []

    init(isShared: Bool = false) {
        let offset = Self.unixStart * 1_000_000_000 - Int64(Self.startOfTime.nanoseconds)
        ledger = CredentialLedger(isShared: isShared, unixOffset: offset)
        _ = ledger.register([key])
    }

    /// A fixture whose credential was confirmed at `server`.
    init(confirmedAt server: String) {
        self.init()
        #expect(ask(1, at: server) == .go(isScout: true))
        #expect(confirm(1, at: server).isEmpty)
    }

    static func waiter(_ number: Int) -> Waiter {
        Waiter(loop: number % 2, exchange: UInt64(number))
    }

    static func place(_ server: String, _ target: String? = nil, path: String = "/") -> LedgerPlace {
        LedgerPlace(server: server, target: target ?? "\(server)/", path: path)
    }

    mutating func ask(
        _ number: Int,
        at server: String,
        _ target: String? = nil,
        path: String = "/",
        use: CredentialUse = CredentialUse()
    ) -> LedgerAnswer {
        let answer = ledger.ask(key, Self.place(server, target, path: path), Self.waiter(number), use: use, now: now)
        woken += ledger.takeWakes().map { Int($0.exchange) }
        checkInvariants()
        return answer
    }

    mutating func confirm(
        _ number: Int,
        at server: String,
        _ target: String? = nil,
        path: String = "/",
        basis: ConfirmationBasis = .answer
    ) -> [Int] {
        let wakes = ledger.confirmed(
            key,
            Self.place(server, target, path: path),
            Self.waiter(number),
            basis: basis
        )
        checkInvariants()
        return wakes.map { Int($0.exchange) }
    }

    mutating func reject(
        _ number: Int,
        at server: String,
        _ target: String? = nil,
        withholdFor: Nanoseconds? = nil,
        isWritten: Bool = true
    ) -> [Int] {
        let place = Self.place(server, target)
        var wakes = ledger.rejected(key, place, Self.waiter(number), withholdFor: withholdFor, now: now)
        if isWritten { wakes += ledger.recorded(through: ledger.changeCount) }
        checkInvariants()
        return wakes.map { Int($0.exchange) }
    }

    mutating func noVerdict(_ number: Int) -> [Int] {
        let wakes = ledger.noVerdict(key, Self.waiter(number))
        checkInvariants()
        return wakes.map { Int($0.exchange) }
    }

    mutating func leave(_ number: Int) -> [Int] {
        let wakes = ledger.leave(Self.waiter(number))
        checkInvariants()
        return wakes.map { Int($0.exchange) }
    }

    mutating func pass(seconds: Double) {
        now = now.advanced(bySeconds: seconds)
    }

    func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) {
        for entry in ledger.entries.values {
            let faults = entry.faults()
            #expect(faults.isEmpty, "\(faults)", sourceLocation: sourceLocation)
        }
    }
}

extension LedgerAnswer {
    var isWait: Bool {
        if case .wait = self { true } else { false }
    }

    var isGo: Bool {
        if case .go = self { true } else { false }
    }

    var extent: Withholding.Extent? {
        if case .withheld(let withholding) = self { withholding.extent } else { nil }
    }
}

extension CredentialEntry {
    /// What must never be, whatever happened.
    func faults() -> [String] {
        var faults: [String] = []
        let expected: CredentialStanding =
            if record.withheld != nil {
                .withheld
            } else if !record.isConfirmed {
                .unconfirmed
            } else if record.doubt != nil || confirmedServers.isEmpty {
                .probation
            } else {
                .confirmed
            }
        if standing != expected { faults.append("stands \(standing), should be \(expected)") }
        if withheldTargets.count > 1000 { faults.append("too many targets") }
        let everyone = role.scouts.map(\.waiter) + role.promises.map(\.waiter) + Array(role.waiting.keys)
        if Set(everyone).count != everyone.count { faults.append("somebody is there twice") }
        let isBlocked = !unwritten.isEmpty
        for reach in reaches {
            let promised = role.promises.filter { reach == nil || $0.place.server == reach }
            let scouts = role.scouts.filter { reach == nil || $0.place.server == reach }
            if promised.count > 1 { faults.append("the role is promised twice") }
            guard role.isAwaited(at: reach), !isBlocked else { continue }
            if scouts.isEmpty, promised.isEmpty, refresh == .idle {
                faults.append("somebody waits at \(reach ?? "all") and nobody goes")
            }
        }
        return faults
    }

    private var reaches: [String?] {
        standing == .confirmed ? role.awaitedServers.map(\.self) : [nil]
    }
}
