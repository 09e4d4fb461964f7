import Authentication
import Events
import Glibc
import Rules
import Support
import Testing

@testable import Proxy

/// The operator's commands against processes that run and ledgers that lie on the disk.
struct ControlSocketTests {
    let a = "origin http://a:80"
    let b = "origin http://b:80"
    let socketName = "control-\(getpid()).sock"

    func rejectedProcess(_ folder: String?, runtimeFolder: String? = nil) throws -> (LedgerProcess, CredentialKey) {
        let process = try LedgerProcess(folder: folder, runtimeFolder: runtimeFolder)
        let credential = LedgerProcess.credential("staff", "canary-password")
        let key = try #require(process.register(credential)["staff"])
        #expect(process.ask(key, a) == .go(isScout: true))
        process.reject(key, a)
        return (process, key)
    }

    /// The words that a process says to `request`.
    func say(_ request: String, to path: String) throws -> String? {
        let stream = try UnixStream.connecting(to: path)
        guard stream.send(request) else { return nil }
        return stream.receive(limit: 1 << 20)
    }

    @Test("A-7b the control socket lies beside the ledger, for its owner alone, and goes with the process")
    func place() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let control = try #require(ControlSocket.open(for: process.ledger) { Issue.record("\($0)") })
        let path = "\(state.path)/\(socketName)"
        #expect(mode(of: path) == UInt32(S_IFSOCK) | 0o600)
        control.close()
        #expect(mode(of: path) == nil)
    }

    @Test("A-7b `credentials` tells names, where and since when, and never a secret")
    func credentials() throws {
        let state = try StateFolder()
        let (process, _) = try rejectedProcess(state.path)
        let control = try #require(ControlSocket.open(for: process.ledger) { Issue.record("\($0)") })
        defer { control.close() }
        let words = try #require(try say("credentials\n", to: "\(state.path)/\(socketName)"))
        #expect(words.hasPrefix("credential staff unconfirmed 0 0\nwithheld server "))
        #expect(words.hasSuffix(" - origin%20http://a:80 -\nend\n"))
        #expect(!words.contains("canary") && !words.contains("alice"))
        #expect(!state.ledger.contains("canary") && !state.ledger.contains("alice"))
    }

    @Test("A-7b `release` ends it in the running process and in the file")
    func release() throws {
        let state = try StateFolder()
        let (process, key) = try rejectedProcess(state.path)
        let control = try #require(ControlSocket.open(for: process.ledger) { Issue.record("\($0)") })
        defer { control.close() }
        #expect(state.comesToHold("rejected 1"))
        var ledger = LedgerOperator(at: StateLocation(folder: state.path, runtimeFolder: nil))
        let isKnown = ledger.release(name: "nobody")
        #expect(!isKnown)
        let accounts = ledger.accounts()
        #expect(accounts.map(\.withholdings.count) == [1])
        let isReleased = ledger.release(name: "staff")
        #expect(isReleased)
        #expect(!state.ledger.contains("rejected"))
        #expect(ledger.processes == [getpid()])
        #expect(process.ask(key, a) == .go(isScout: true))
        #expect(ledger.problems.isEmpty)
    }

    @Test("A-7b nobody who says nothing, or reads nothing, keeps the operator waiting", arguments: [1, 16, 20, 80])
    func silent(_ count: Int) throws {
        let state = try StateFolder()
        let (process, _) = try rejectedProcess(state.path)
        let control = try #require(ControlSocket.open(for: process.ledger) { Issue.record("\($0)") })
        defer { control.close() }
        let stuck = (0..<count).map { index in
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let isConnected = unsafe UnixStream.withAddress("\(state.path)/\(socketName)") { address, length in
                unsafe connect(descriptor, address, length) == 0
            }
            #expect(isConnected == true)
            if index % 2 == 0 { _ = unsafe Glibc.send(descriptor, "cred", 4, 0) }
            return descriptor
        }
        defer { for descriptor in stuck { _ = Glibc.close(descriptor) } }
        let start = ContinuousClock.now
        #expect(try say("release staff\n", to: "\(state.path)/\(socketName)") == "released\nend\n")
        #expect(ContinuousClock.now - start < .seconds(1.5))
    }

    @Test("A-7b `release --all` reaches every credential")
    func releaseAll() throws {
        let state = try StateFolder()
        let (process, key) = try rejectedProcess(state.path)
        let control = try #require(ControlSocket.open(for: process.ledger) { Issue.record("\($0)") })
        defer { control.close() }
        var ledger = LedgerOperator(at: StateLocation(folder: state.path, runtimeFolder: nil))
        let isReleased = ledger.release(name: nil)
        #expect(isReleased)
        #expect(process.ask(key, a) == .go(isScout: true))
    }

    @Test("A-7b the commands act on the file where no process runs")
    func withoutProcess() throws {
        let state = try StateFolder()
        do {
            let (process, _) = try rejectedProcess(state.path)
            process.ledger.close()
        }
        let location = StateLocation(folder: state.path, runtimeFolder: nil)
        var ledger = LedgerOperator(at: location)
        let accounts = ledger.accounts()
        let account = try #require(accounts.first)
        #expect(account.name == "staff" && account.standings == [.unconfirmed])
        #expect(account.withholdings.map(\.server) == [a])
        let isReleased = ledger.release(name: "staff")
        #expect(isReleased)
        let rest = ledger.accounts()
        #expect(rest.isEmpty)
        let next = try LedgerProcess(folder: state.path)
        let key = try #require(next.register(LedgerProcess.credential("staff", "canary-password"))["staff"])
        #expect(next.ask(key, a) == .go(isScout: true))
    }

    @Test("A-7b in memory the socket is in the runtime folder, and the commands find it there")
    func memory() throws {
        let runtime = try StateFolder()
        let (process, key) = try rejectedProcess(nil, runtimeFolder: runtime.path + "/countersign")
        let control = try #require(ControlSocket.open(for: process.ledger) { Issue.record("\($0)") })
        defer { control.close() }
        var ledger = LedgerOperator(at: StateLocation(folder: nil, runtimeFolder: runtime.path + "/countersign"))
        let accounts = ledger.accounts()
        #expect(accounts.map(\.withholdings.count) == [1])
        let isReleased = ledger.release(name: "staff")
        #expect(isReleased)
        #expect(process.ask(key, a) == .go(isScout: true))
    }

    @Test("A-7b in memory without a runtime folder there is no socket, with a warning")
    func nowhere() throws {
        let process = try LedgerProcess(folder: nil)
        var warnings: [String] = []
        #expect(ControlSocket.open(for: process.ledger) { warnings.append($0) } == nil)
        #expect(warnings.count == 1)
    }

    @Test("A-7b a socket that can't be made is a warning with its reason")
    func longPath() throws {
        let state = try StateFolder()
        let folder = state.path + "/" + String(repeating: "x", count: 120)
        let process = try LedgerProcess(folder: folder)
        var warnings: [String] = []
        #expect(ControlSocket.open(for: process.ledger) { warnings.append($0) } == nil)
        #expect(warnings.count == 1 && warnings[0].contains("File name too long"))
    }

    @Test("A-7b sockets of dead processes are removed, those of living ones are not")
    func stale() throws {
        let state = try StateFolder()
        let dead = state.path + "/control-1.sock"
        guard let descriptor = UnixStream.socket() else { return }
        let number = descriptor.rawValue
        let isBound = unsafe UnixStream.withAddress(dead) { unsafe bind(number, $0, $1) == 0 }
        #expect(isBound == true)
        let first = try LedgerProcess(folder: state.path)
        let control = try #require(ControlSocket.open(for: first.ledger) { Issue.record("\($0)") })
        defer { control.close() }
        #expect(mode(of: dead) == nil)
        ControlFolder(path: state.path).removeStale()
        #expect(ControlFolder(path: state.path).sockets.map(\.process) == [getpid()])
    }

    @Test("S-2 a client that says nothing, too much or nonsense keeps nobody else away")
    func badClients() throws {
        let state = try StateFolder()
        let process = try LedgerProcess(folder: state.path)
        let control = try #require(ControlSocket.open(for: process.ledger) { Issue.record("\($0)") })
        defer { control.close() }
        let path = "\(state.path)/\(socketName)"
        #expect(try say("nonsense\n", to: path) == "refused\nend\n")
        #expect(try say(String(repeating: "x", count: 100_000), to: path)?.isEmpty != false)
        let silent = try UnixStream.connecting(to: path)
        var ledger = LedgerOperator(at: StateLocation(folder: state.path, runtimeFolder: nil))
        for _ in 0..<5 where ledger.processes.isEmpty { _ = ledger.accounts() }
        #expect(ledger.processes == [getpid()])
        _ = silent.send("x")
    }
}
