import Testing

@testable import Events

@Suite struct StreamCipherTests {
    /// A cipher that keeps the parts that it was given, and takes so much of each.
    private final class Recorder: StreamCipher {
        var parts: [[UInt8]] = []
        var room = Int.max
        var hasPending = false
        let readAwaitsRoom = false

        func write(_ bytes: Span<UInt8>) -> WriteResult {
            guard room > 0 else { return .wouldBlock }
            let count = min(room, bytes.count)
            room -= count
            parts.append([UInt8](bytes.extracting(first: count)))
            return .wrote(count)
        }

        func read(into bytes: inout MutableSpan<UInt8>) -> ReadResult { .wouldBlock }
        func peek() -> StreamSocket.Peek { .silent }
        var hasUnsent: Bool { false }
        func flush() -> Bool { true }
        func endWriting() {}
    }

    private let head = [UInt8]("head ".utf8)

    private func written(_ body: [UInt8], room: Int = .max) throws -> (Recorder, WriteResult) {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        let cipher = Recorder()
        cipher.room = room
        near.cipher = cipher
        let result = near.write(head.span, body.span)
        near.close()
        far.close()
        return (cipher, result)
    }

    @Test("a head and what stands behind it go through a cipher as one part")
    func joined() throws {
        let (cipher, result) = try written([UInt8]("body".utf8))
        #expect(result == .wrote(9))
        #expect(cipher.parts == [[UInt8]("head body".utf8)])
    }

    @Test(
        "what a cipher brings with it is told, though reading was asked for before it came",
        arguments: [false, true]
    )
    func pending(isWatchedBefore: Bool) throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        defer { far.close() }
        let (cipher, observer) = (Recorder(), Observer())
        observer.onReadable = { cipher.hasPending = false }
        near.observer = observer
        if isWatchedBefore { near.resumeReading() }
        cipher.hasPending = true
        near.cipher = cipher
        near.resumeReading()
        #expect(run(loop, until: { observer.readableCount > 0 }))
        near.close()
    }

    @Test("what is larger than a record follows its first one")
    func large() throws {
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let (cipher, result) = try written(body)
        #expect(result == .wrote(100_005))
        #expect(cipher.parts.map(\.count) == [16_384, 83_621])
        #expect(Array(cipher.parts.joined()) == head + body)
    }

    @Test(
        "a cipher without room is told as it is, and one that takes a part by its count",
        arguments: [0, 3, 9, 16_384]
    )
    func partly(_ room: Int) throws {
        let body = [UInt8](repeating: 7, count: 20_000)
        let (cipher, result) = try written(body, room: room)
        #expect(result == (room == 0 ? .wouldBlock : .wrote(room)))
        #expect(Array(cipher.parts.joined()) == Array((head + body).prefix(room)))
    }
}
