import Authentication
import Bytes
import Events
import Glibc
import Support
import Synchronization
import Testing

@testable import Proxy

struct SharedLedgerTests {
    let a = "origin http://a:80"
    let b = "origin http://b:80"
    let c = "origin http://c:80"

    func key(_ process: LedgerProcess, _ password: String = "wrong") throws -> CredentialKey {
        try #require(process.register(LedgerProcess.credential("staff", password))["staff"])
    }

    @Test("A-7b a rejection is written at once and survives a restart")
    func restart() throws {
        let state = try StateFolder()
        do {
            let process = try LedgerProcess(folder: state.path)
            let key = try key(process)
            #expect(process.ask(key, a) == .go(isScout: true))
            process.reject(key, a)
            #expect(state.comesToHold("rejected 1"))
            #expect(process.warned.isEmpty)
        }
        let next = try LedgerProcess(folder: state.path)
        guard case .withheld(let withholding) = next.ask(try key(next), a) else {
            Issue.record("a wrong password would have been sent again")
            return
        }
        #expect(withholding.extent == .server && withholding.server == a)
    }

    @Test("A-7b what happened last is written when the process ends")
    func end() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let key = try key(process)
        _ = process.ask(key, a)
        process.reject(key, a)
        process.ledger.close()
        #expect(state.ledger.contains("rejected 1"))
    }

    @Test("A-7 a changed secret ends it, over a restart too")
    func changedSecret() throws {
        let state = try StateFolder()
        do {
            let process = try LedgerProcess(folder: state.path)
            let key = try key(process)
            _ = process.ask(key, a)
            process.reject(key, a)
        }
        let next = try LedgerProcess(folder: state.path)
        #expect(next.ask(try key(next, "right"), a) == .go(isScout: true))
    }

    @Test("A-7 a reload that changes the secret ends it, one that doesn't keeps it")
    func reload() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let first = try key(process)
        _ = process.ask(first, a)
        process.reject(first, a)
        let same = try #require(
            process.register(LedgerProcess.credential(), LedgerProcess.credential("other"))["staff"]
        )
        #expect(same == first)
        let changed = try key(process, "right")
        #expect(changed != first)
        #expect(process.ask(changed, a) == .go(isScout: true))
        #expect(process.ask(first, a).extent == .server)
    }

    @Test("A-7b what one running process saw rejected, another doesn't try")
    func twoProcesses() throws {
        let state = try StateFolder()
        let first = try LedgerProcess(folder: state.path)
        let second = try LedgerProcess(folder: state.path)
        let firstKey = try key(first)
        let secondKey = try key(second)
        #expect(first.ask(firstKey, a) == .go(isScout: true))
        first.reject(firstKey, a)
        #expect(state.comesToHold("rejected 1"))
        #expect(second.ask(secondKey, a).extent == .server)
        #expect(second.ask(secondKey, b) == .go(isScout: true))
        second.reject(secondKey, b)
        #expect(state.comesToHold("withheld"))
        #expect(first.ask(firstKey, c).extent == .everywhere)
    }

    @Test("A-7c a confirmation survives a restart, so that a policy 407 right after it blocks one target")
    func confirmation() throws {
        let state = try StateFolder()
        do {
            let process = try LedgerProcess(folder: state.path)
            let key = try key(process, "right")
            _ = process.ask(key, a)
            process.confirm(key, a)
        }
        #expect(state.ledger.contains("confirmed"))
        let next = try LedgerProcess(folder: state.path)
        let key = try key(next, "right")
        #expect(next.ask(key, a, "http://blocked:80") == .go(isScout: true))
        next.reject(key, a, "http://blocked:80")
        #expect(next.ask(key, a, "http://open:80", 2) == .go(isScout: true))
        next.confirm(key, a, "http://open:80", 2)
        #expect(next.ask(key, a, "http://blocked:80").extent == .target)
        #expect(next.ask(key, a, "http://other:80") == .go(isScout: false))
        #expect(next.ledger.isClear(key, at: a) == false, "one target is withheld there")
    }

    @Test("A-7b without a folder the ledger is in memory, with a warning")
    func memory() throws {
        for folder in [nil, "/proc/countersign"] {
            let process = try LedgerProcess(folder: folder)
            #expect(process.warned.count == 1)
            let key = try key(process)
            #expect(process.ask(key, a) == .go(isScout: true))
            process.reject(key, a)
            #expect(process.ask(key, a).extent == .server)
            #expect(process.ledger.folder == nil)
        }
    }

    @Test("A-7b a disk that fails later is told once, and what happened meanwhile is written when it is well again")
    func failingDisk() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let key = try key(process)
        let obstacle = state.path + "/ledger.new"
        #expect(unsafe mkdir(obstacle, 0o700) == 0)
        #expect(process.ask(key, a) == .go(isScout: true))
        process.reject(key, a)
        // It isn't waited for: no lock stands in the way.
        let start = LedgerProcess.now
        process.awaitRecord()
        #expect(LedgerProcess.now.since(start) < .seconds(4))
        #expect(process.ask(key, a).extent == .server)
        for _ in 0..<500 where process.warned.isEmpty { usleep(10_000) }
        #expect(process.warned.count == 1)
        #expect(unsafe rmdir(obstacle) == 0)
        #expect(process.ask(key, b, nil, 2) == .go(isScout: true))
        process.reject(key, b, nil, 2)
        #expect(state.comesToHold("withheld"))
        #expect(process.warned.count == 1)
    }

    @Test("A-7b a file that is removed while the process runs is written anew from what it knows")
    func removedFile() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let key = try key(process)
        _ = process.ask(key, a)
        process.reject(key, a)
        #expect(state.comesToHold("rejected 1"))
        #expect(unsafe unlink(state.path + "/ledger") == 0)
        #expect(process.ask(key, b, nil, 2) == .go(isScout: true))
        #expect(state.comesToHold("rejected 1"))
        process.reject(key, b, nil, 2)
        #expect(state.comesToHold("withheld"))
        #expect(process.ask(key, c).extent == .everywhere)
    }

    @Test("A-7b a broken file is set aside and told, never a crash")
    func brokenFile() throws {
        let state = try StateFolder()
        try state.write("\u{0}\u{1}\u{2}", to: "ledger")
        let process = try LedgerProcess(folder: state.path)
        #expect(process.ask(try key(process), a) == .go(isScout: true))
        #expect(process.warned.count == 1)
    }

    @Test("A-8 of 64 clients on two threads with a wrong password exactly one gets to try it")
    func manyClients() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let key = try key(process)
        let attempts = Attempts()
        // Threads of their own: those of the tests may be busy for longer than a second scout needs to go.
        let threads = try (0..<2).map { thread in
            try SystemThread("client") { [a] in
                for number in 0..<32 {
                    let exchange = UInt64(thread * 100 + number)
                    guard process.ask(key, a, nil, exchange).isGo else { continue }
                    attempts.add()
                    usleep(20_000)
                    process.reject(key, a, nil, exchange)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(attempts.count == 1)
    }

    @Test("A-7b who told a rejection, and who asks, goes on when the file has it")
    func recorded() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let key = try key(process)
        #expect(process.ask(key, a) == .go(isScout: true))
        process.reject(key, a)
        process.awaitRecord()
        #expect(state.ledger.contains("rejected 1"))
        #expect(process.ask(key, b, nil, 2) == .go(isScout: true))
        process.reject(key, b, nil, 2)
        #expect(process.ask(key, c, nil, 3).extent == .everywhere)
        #expect(state.ledger.contains("withheld"))
    }

    @Test("A-7b while another process has the file's lock nobody goes by a rejection")
    func lockedFile() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let key = try key(process)
        #expect(process.ask(key, a) == .go(isScout: true))
        let lock = try FileLock(state.path + "/ledger.lock")
        process.reject(key, a)
        for _ in 0..<50 {
            let waiter = Waiter(loop: 0, exchange: 2)
            let place = LedgerProcess.place(a)
            guard case .wait = process.ledger.ask(key, place, waiter, use: CredentialUse(), now: LedgerProcess.now)
            else {
                Issue.record("it is told of a rejection that the file doesn't have")
                return
            }
            usleep(10_000)
        }
        lock.release()
        #expect(process.ask(key, a, nil, 2).extent == .server)
        #expect(state.ledger.contains("rejected 1"))
        #expect(process.warned.isEmpty)
    }

    @Test("A-7 a release lets the credential be used again and is written")
    func release() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let key = try key(process)
        _ = process.ask(key, a)
        process.reject(key, a)
        #expect(state.comesToHold("rejected 1"))
        #expect(!process.ledger.release(name: "nobody"))
        #expect(process.ledger.release(name: "staff"))
        #expect(process.ask(key, a) == .go(isScout: true))
        for _ in 0..<500 where state.ledger.contains("rejected") { usleep(10_000) }
        #expect(!state.ledger.contains("rejected"))
    }
}

private final class Attempts: Sendable {
    private let counter = Atomic(0)

    var count: Int { counter.load(ordering: .relaxed) }

    func add() {
        counter.add(1, ordering: .relaxed)
    }
}

extension LedgerAnswer {
    var isGo: Bool {
        if case .go = self { true } else { false }
    }

    var extent: Withholding.Extent? {
        if case .withheld(let withholding) = self { withholding.extent } else { nil }
    }
}
