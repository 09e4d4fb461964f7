import Glibc
import Support
import Testing

/// A proxy as a service: what its starter is told of it, and what it keeps to itself when it ends by a fault.
@Suite struct ServiceTests {
    /// A socket for the messages of a service.
    private final class Starter: Sendable {
        let path: String
        private let descriptor: Int32

        init(_ folder: ScratchFolder) throws {
            path = folder("notify")
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { [path] in unsafe $0.copyBytes(from: path.utf8) }
            let result = unsafe withUnsafePointer(to: &address) { [descriptor] pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard result == 0 else { throw TestFailure("can't bind \(path)") }
        }

        deinit { close(descriptor) }

        private var next: String? {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
        }

        /// The next message but for signs of life.
        func message() throws -> String {
            var found: String?
            try eventually("a message to the service's starter") {
                found = next
                return found != nil && found != "WATCHDOG=1\n"
            }
            return found ?? ""
        }

        /// How many signs of life come in that time.
        func signsOfLife(within duration: Duration) -> Int {
            pause(duration)
            var count = 0
            while let message = next { count += message == "WATCHDOG=1\n" ? 1 : 0 }
            return count
        }
    }

    @Test("O-4 a service tells that it is ready, reads its rules, what is wrong with them, lives and ends")
    func told() throws {
        let folder = try ScratchFolder("proxy")
        let starter = try Starter(folder)
        let environment = ["NOTIFY_SOCKET": starter.path, "WATCHDOG_USEC": "1000000"]
        let proxy = try RunningProxy("timeouts: { drain: 1s }", workers: 2, folder: folder, environment: environment)
        #expect(try starter.message() == "READY=1\nSTATUS=serving on 127.0.0.1:\(proxy.port)\n")
        #expect((2...5).contains(starter.signsOfLife(within: .seconds(1))))
        proxy.reload()
        #expect(try starter.message().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        #expect(try starter.message() == "READY=1\nSTATUS=serving on 127.0.0.1:\(proxy.port)\n")
        try proxy.rewrite("nonsense: 1")
        #expect(try starter.message().hasPrefix("RELOADING=1\n"))
        let told = try starter.message()
        #expect(told.hasPrefix("READY=1\nSTATUS=the rules in force go on: ") && told.contains("nonsense"))
        proxy.process.send(signal: SIGTERM)
        #expect(try starter.message() == "STOPPING=1\nSTATUS=serving what is under way\n")
        #expect(try proxy.process.waitForExit() == .status(0))
    }

    @Test("O-4 a service whose rules can't be read is never ready") func unready() throws {
        let folder = try ScratchFolder("proxy")
        let starter = try Starter(folder)
        let path = try folder.write("version: 1\nnonsense: 1\n", to: "rules.yaml")
        let outcome = try Binary.run(["run", "--config", path], environment: ["NOTIFY_SOCKET": starter.path])
        #expect(outcome.status == 1)
        #expect(starter.signsOfLife(within: .zero) == 0)
    }

    @Test("S-3 a proxy that ends by a fault leaves no core, also where the limit would allow one")
    func core() throws {
        let folder = try ScratchFolder("core")
        let port = try FreePort.reserve()
        let rules = "version: 1\nstate: state\nlisteners: [{ address: \"127.0.0.1:\(port)\" }]\n"
        try folder.write(rules, to: "countersign.yaml", mode: 0o600)
        let script = "ulimit -c unlimited; exec \(try Binary.path()) run --config countersign.yaml"
        let process = try TestProcess("/bin/sh", ["-c", script], workingFolder: folder.path)
        try eventually("the proxy to listen:\n\(process.errors)") { process.output.contains("listening on") }
        let limits = String(decoding: contents(of: "/proc/\(process.pid)/limits") ?? [], as: UTF8.self)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(line?.split(separator: " ").dropFirst(4).first == "0")
        // Of a process that isn't dumpable the kernel's files belong to root; this one does for a user's own as well.
        #expect(try isDumpable(process) == false)
        process.send(signal: SIGABRT)
        #expect(try process.waitForExit() == .signal(SIGABRT))
        #expect(names(in: folder.path).filter { $0.hasPrefix("core") } == [])
    }

    /// What the kernel would write of it: the filter is shown for every process, the flag only by who owns its files.
    private func isDumpable(_ process: TestProcess) throws -> Bool {
        var status = stat()
        guard unsafe stat("/proc/\(process.pid)/environ", &status) == 0 else { throw TestFailure("it is gone") }
        // Root's own processes look the same either way; there the limit has to do.
        return getuid() != 0 && status.st_uid == getuid()
    }
}
