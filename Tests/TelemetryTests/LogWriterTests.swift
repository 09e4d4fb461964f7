import Bytes
import Glibc
import Testing

@testable import Telemetry

@Suite struct LogWriterTests {
    @Test("lines of several threads come whole, and each thread's in its order")
    func threads() async throws {
        let reader = LogReader(capacity: 1 << 20)
        let writer = try #require(LogWriter(descriptor: reader.writeEnd))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<500 { writer.write("\(thread) \(number)\n".utf8.span) }
                }
            }
        }
        writer.finish(within: .max)
        var next = [0, 0, 0, 0]
        for line in reader.text().split(separator: "\n") {
            let words = line.split(separator: " ").compactMap { Int($0) }
            try #require(words.count == 2)
            #expect(words[1] == next[words[0]])
            next[words[0]] += 1
        }
        #expect(next == [500, 500, 500, 500])
        #expect(writer.dropped == 0)
    }

    @Test("a line comes soon though nobody flushes, also after a rest")
    func soon() async throws {
        let reader = LogReader()
        let writer = try #require(LogWriter(descriptor: reader.writeEnd))
        for line in ["first\n", "second\n"] {
            writer.write(line.utf8.span)
            var text = ""
            for _ in 0..<500 where text.isEmpty {
                try await Task.sleep(for: .milliseconds(10))
                text = reader.text()
            }
            #expect(text == line)
            try await Task.sleep(for: .milliseconds(200))
        }
        writer.finish()
    }

    @Test("O-11 a reader that stands still blocks nobody; what it missed is counted and told")
    func blocked() async throws {
        let reader = LogReader(capacity: 4096)
        let writer = try #require(LogWriter(descriptor: reader.writeEnd, limit: 10_000))
        let line = String(repeating: "x", count: 99) + "\n"
        let elapsed = ContinuousClock().measure {
            for _ in 0..<5000 { writer.write(line.utf8.span) }
        }
        #expect(elapsed < .seconds(5))
        let dropped = writer.dropped
        #expect(dropped > 4000 && dropped < 5000)

        var text = ""
        for _ in 0..<300 {
            try await Task.sleep(for: .milliseconds(10))
            text += reader.text()
        }
        let lines = text.split(separator: "\n")
        let told = lines.filter { $0.hasPrefix("countersign: log lines dropped: ") }
        let sum = told.compactMap { UInt64($0.split(separator: " ").last ?? "") }.reduce(0, +)
        #expect(sum == dropped)
        #expect(UInt64(lines.count - told.count) == 5000 - dropped)
        writer.finish()
    }

    @Test("O-11 a descriptor that can't be written loses lines, counts them and ends nothing")
    func gone() async throws {
        let full = unsafe open("/dev/full", O_WRONLY)
        let writer = try #require(LogWriter(descriptor: full))
        writer.write("a\nb\n".utf8.span)
        writer.finish(within: .seconds(10))
        #expect(writer.dropped == 2)
        writer.write("late\n".utf8.span)
        #expect(writer.dropped == 3)
        close(full)
    }

    @Test("the end doesn't wait for ever for a reader that stands still")
    func stuckEnd() throws {
        let reader = LogReader(capacity: 4096)
        let writer = try #require(LogWriter(descriptor: reader.writeEnd))
        writer.write(String(repeating: "x", count: 100_000).utf8.span)
        let elapsed = ContinuousClock().measure { writer.finish(within: .milliseconds(100)) }
        #expect(elapsed < .seconds(5))
        while !reader.text().isEmpty { usleep(1000) }
    }
}
