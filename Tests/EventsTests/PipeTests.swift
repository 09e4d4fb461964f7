import Bytes
import Glibc
import Testing

@testable import Events

@Suite struct PipeTests {
    @Test("bytes go through a pipe unchanged, as far as there is room on either side")
    func relay() throws {
        ProcessSettings.ignoreBrokenPipes()
        let loop = try EventLoop()
        let (source, near) = try socketPair(loop)
        let (far, sink) = try socketPair(loop)
        var pipe = try Pipe()
        #expect(pipe.fill(from: near) == .wouldBlock)
        #expect(pipe.drain(to: far) == .wrote(0))

        let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        var got: [UInt8] = []
        var offset = 0
        var turns = 0
        while got.count < sent.count, turns < 100_000 {
            turns += 1
            if offset < sent.count, case .wrote(let count) = source.write(sent.span.extracting(offset..<sent.count)) {
                offset += count
            }
            _ = pipe.fill(from: near)
            _ = pipe.drain(to: far)
            if case .bytes = sink.read(limit: 100_000) { got += [UInt8](loop.received) }
        }
        #expect(got == sent)
        #expect(pipe.count == 0)
        source.shutdownWrite()
        #expect(pipe.fill(from: near) == .endOfFile)
    }

    @Test("a pipe keeps what its target has no room for and tells when the target is gone")
    func stuck() throws {
        ProcessSettings.ignoreBrokenPipes()
        let loop = try EventLoop()
        let (source, near) = try socketPair(loop)
        let (far, sink) = try socketPair(loop)
        var pipe = try Pipe()
        let block = [UInt8](repeating: 1, count: 1 << 20)
        while case .wrote = far.write(block.span) {}
        #expect(source.write([1, 2, 3].span) == .wrote(3))
        #expect(pipe.fill(from: near) == .bytes(3))
        #expect(pipe.drain(to: far) == .wouldBlock)
        #expect(pipe.count == 3)
        sink.close()
        #expect(pipe.drain(to: far) == .failed(SystemError(.splice, code: EPIPE)))
    }
}
