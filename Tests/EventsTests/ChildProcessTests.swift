import Bytes
import Foundation
import Glibc
import Testing

@testable import Events

@Suite struct ChildProcessTests {
    /// What came of a program.
    final class Result {
        var ending: ChildProcess.Ending?
        var output: [UInt8] = []
        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    private func start(
        _ loop: EventLoop,
        _ arguments: [String],
        input: [UInt8] = [],
        limit: Int = 64 << 10,
        milliseconds: UInt64 = 20_000
    ) throws -> (ChildProcess, Result) {
        ProcessSettings.ignoreBrokenPipes()
        let result = Result()
        var input = input
        let child = try ChildProcess(
            loop,
            arguments,
            wiping: &input,
            limit: limit,
            timeout: milliseconds * 1_000_000
        ) { ending, output in
            #expect(result.ending == nil)
            result.ending = ending
            result.output = output
        }
        #expect(input.isEmpty)
        return (child, result)
    }

    private func run(
        _ arguments: [String],
        input: [UInt8] = [],
        limit: Int = 64 << 10,
        milliseconds: UInt64 = 20_000
    ) throws -> Result {
        let loop = try EventLoop()
        let (child, result) = try start(loop, arguments, input: input, limit: limit, milliseconds: milliseconds)
        #expect(EventsTests.run(loop) { result.ending != nil })
        // Whoever waits for any child of this process else finds one that nobody takes away.
        #expect(EventsTests.run(loop) { kill(child.process, 0) != 0 })
        return result
    }

    private func isGone(_ process: pid_t) -> Bool {
        for _ in 0..<500 where kill(process, 0) == 0 { usleep(10_000) }
        return kill(process, 0) != 0
    }

    @Test("A-17 a program is found in PATH, and what it prints is told with its status")
    func prints() throws {
        let result = try run(["printf", "%s", "a b\n"])
        #expect(result.ending == .exited(0))
        #expect(result.text == "a b\n")
        #expect(try run(["false"]).ending == .exited(1))
        #expect(try run(["sh", "-c", "kill -9 $$"]).ending == .signalled(SIGKILL))
    }

    @Test("A-17 a program reads what it is given, however much that is")
    func reads() throws {
        let input = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let result = try run(["cat"], input: input, limit: 400_000)
        #expect(result.ending == .exited(0))
        #expect(result.output == input)
    }

    @Test("A-17 a program that reads nothing of its input ends as others do")
    func ignoresInput() throws {
        #expect(try run(["true"], input: [UInt8](repeating: 1, count: 1 << 20)).ending == .exited(0))
    }

    @Test("A-17 a missing program is told at once")
    func missing() throws {
        let loop = try EventLoop()
        #expect(throws: SystemError(.spawn, code: ENOENT)) { try start(loop, ["countersign-no-such-program"]) }
        #expect(throws: SystemError(.spawn, code: EACCES)) { try start(loop, ["/dev/null"]) }
    }

    @Test("A-17 a program that hangs is killed at its deadline, with what it started")
    func hangs() throws {
        let file = FileManager.default.temporaryDirectory.path + "/child-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let before = ContinuousClock.now
        let result = try run(["sh", "-c", "sleep 61 & echo $! > \(file); wait"], milliseconds: 500)
        #expect(result.ending == .timedOut)
        #expect(ContinuousClock.now - before < .seconds(5))
        let line = try String(contentsOfFile: file, encoding: .utf8)
        let process = try #require(pid_t(line.trimmingCharacters(in: .newlines)))
        #expect(isGone(process))
    }

    @Test("A-17 a program that prints without end is killed, and nothing of it is told")
    func printsMuch() throws {
        let result = try run(["yes"], limit: 1000)
        #expect(result.ending == .printedTooMuch)
        #expect(result.output.isEmpty)
        #expect(try run(["head", "-c", "1000", "/dev/zero"], limit: 1000).output.count == 1000)
    }

    @Test("A-17 what a program leaves running behind it isn't waited for, and lives on")
    func leavesDaemon() throws {
        let result = try run(["sh", "-c", "sleep 61 & echo $!"])
        #expect(result.ending == .exited(0))
        let process = try #require(pid_t(result.lines.first ?? ""))
        #expect(kill(process, 0) == 0)
        kill(process, SIGKILL)
    }

    @Test("A-17 a program has the usual signals, a session of its own, no terminal and none of our descriptors")
    func surroundings() throws {
        let script =
            "ls /proc/self/fd | tr '\\n' ' '; echo; grep -E 'SigBlk|SigIgn' /proc/self/status | cut -f2; "
            + "cut -d' ' -f6 /proc/$$/stat; echo $$; readlink /proc/self/fd/2; (: < /dev/tty) || echo none"
        let lines = try run(["sh", "-c", script]).lines
        try #require(lines.count == 7, "\(lines)")
        #expect(lines[0] == "0 1 2 3 ")
        #expect(lines[1] == "0000000000000000")
        // The C library has two signals of its own, above those that have a name.
        #expect(UInt64(lines[2], radix: 16).map { $0 & 0x7FFF_FFFF } == 0)
        #expect(lines[3] == lines[4])
        #expect(lines[5] == "/dev/null")
        #expect(lines[6] == "none")
    }

    @Test("a program that is cancelled is gone, and nobody is told")
    func cancels() throws {
        let loop = try EventLoop()
        let (child, result) = try start(loop, ["sh", "-c", "echo $$; exec sleep 61"])
        EventsTests.run(loop, milliseconds: 100)
        child.cancel()
        EventsTests.run(loop, milliseconds: 20)
        #expect(result.ending == nil)
        #expect(isGone(child.process))
    }

    @Test("a child lives no longer than its end, nor does it leave a descriptor open")
    func leavesNothing() throws {
        let loop = try EventLoop()
        weak var kept: ChildProcess?
        let before = try openDescriptors()
        for _ in 0..<20 {
            let (child, result) = try start(loop, ["true"])
            kept = child
            #expect(EventsTests.run(loop) { result.ending != nil })
        }
        EventsTests.run(loop, milliseconds: 20)
        #expect(kept == nil)
        // Tests beside this one open some of their own.
        #expect(try openDescriptors() - before < 40)
    }

    private func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
