import Authentication
import Bytes
import Crypto
import Events
import Glibc
import Rules
import Support

@testable import Proxy

/// A shared ledger as one process has it, with those it wakes and what it warns of.
final class LedgerProcess: Sendable {
    let ledger: SharedLedger
    private let woken = WokenWaiters()
    private let warnings = Warnings()

    init(folder: String?, runtimeFolder: String? = nil) throws {
        let warnings = warnings
        ledger = try SharedLedger(
            at: StateLocation(folder: folder, runtimeFolder: runtimeFolder),
            waking: woken,
            warn: { warnings.append($0) }
        )
    }

    deinit {
        ledger.close()
    }

    var warned: [String] { warnings.all }

    static func credential(_ name: String = "staff", _ password: String = "wrong") -> Credential {
        Credential(name: name, username: "alice", password: Secret(password))
    }

    static func place(_ server: String, _ target: String? = nil) -> LedgerPlace {
        LedgerPlace(server: server, target: target ?? "\(server)/", path: "/")
    }

    func register(_ credentials: Credential...) -> [String: CredentialKey] {
        ledger.register(credentials)
    }

    static var now: Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// Asks, and again whenever told to, for at most ten seconds.
    func ask(_ key: CredentialKey, _ server: String, _ target: String? = nil, _ number: UInt64 = 1) -> LedgerAnswer {
        let waiter = Waiter(loop: 0, exchange: number)
        let end = Self.now.advanced(bySeconds: 10)
        while true {
            let now = Self.now
            let answer = ledger.ask(key, Self.place(server, target), waiter, use: CredentialUse(), now: now)
            guard case .wait(let until) = answer, now < end else { return answer }
            woken.wait(for: waiter, until: until)
        }
    }

    func reject(_ key: CredentialKey, _ server: String, _ target: String? = nil, _ number: UInt64 = 1) {
        let waiter = Waiter(loop: 0, exchange: number)
        ledger.rejected(key, Self.place(server, target), waiter, withholdFor: nil, now: Self.now)
    }

    /// Waits like an exchange until its rejection is in the file, at most ten seconds.
    func awaitRecord(_ number: UInt64 = 1) {
        let waiter = Waiter(loop: 0, exchange: number)
        while ledger.recordingEnd(of: waiter) != nil {
            woken.wait(for: waiter, until: Self.now.advanced(bySeconds: 10))
        }
    }

    func confirm(_ key: CredentialKey, _ server: String, _ target: String? = nil, _ number: UInt64 = 1) {
        ledger.confirmed(key, Self.place(server, target), Waiter(loop: 0, exchange: number), basis: .answer)
    }
}

/// The waiters that were woken and haven't noticed.
private final class WokenWaiters: LedgerWaking {
    private let woken = Locked<Set<Waiter>>([])

    func wake(_ waiters: [Waiter]) {
        woken.withLock { $0.formUnion(waiters) }
    }

    func wait(for waiter: Waiter, until: Instant) {
        while woken.withLock({ $0.remove(waiter) }) == nil, LedgerProcess.now < until { usleep(200) }
    }
}

private final class Warnings: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

/// A folder that is removed with its last owner.
final class StateFolder: Sendable {
    let path: String
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder("state")
        path = try scratch.folder("state")
        unsafe chmod(path, 0o700)
    }

    var ledger: String { scratch.text(of: "state/ledger") }

    func write(_ text: String, to name: String) throws { try scratch.write(text, to: "state/\(name)") }

    /// Whether the ledger's file comes to hold `text` within ten seconds.
    func comesToHold(_ text: String) -> Bool {
        for _ in 0..<1000 {
            if ledger.contains(text) { return true }
            usleep(10_000)
        }
        return false
    }
}
