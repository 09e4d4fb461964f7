import PAC
import Testing

struct PACFrameTests {
    private let frames: [PACFrame] = [
        .script(Array("function".utf8)), .question(url: Array("http://a/".utf8), host: Array("a".utf8)), .loaded,
        .result(Array("DIRECT".utf8)), .failed([]),
    ]

    @Test("frames come as they were sent, in whatever pieces")
    func pieces() {
        let bytes = frames.flatMap(\.bytes)
        #expect(frames[3].bytes == [0, 0, 0, 6, 4] + Array("DIRECT".utf8))
        for size in 1...bytes.count {
            var reader = PACFrameReader(longest: 100)
            var found: [PACFrame] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                reader.append(piece.span)
                while case .frame(let frame) = reader.next() { found.append(frame) }
            }
            #expect(found == frames)
            #expect(reader.next() == .needMore)
        }
    }

    @Test(
        "S-1 what is no frame, or too long, is malformed",
        arguments: [
            [0, 0, 0, 101, 4], [255, 255, 255, 255, 4], [0, 0, 0, 0, 9], [0, 0, 0, 1, 3, 0], [0, 0, 0, 1, 2, 65],
        ] as [[UInt8]]
    )
    func malformed(_ bytes: [UInt8]) {
        var reader = PACFrameReader(longest: 100)
        reader.append(bytes.span)
        #expect(reader.next() == .malformed)
    }

    @Test("an answer is cut to what may be sent")
    func cut() {
        let frame = PACFrame.result([UInt8](repeating: 0x61, count: 1 << 20))
        #expect(frame.bytes.count == 5 + PACFrame.longestFromEvaluator)
    }

    @Test("a question's text can't end the quotes that it stands between")
    func escaped() {
        let text = PACQuestionText.escaped(Array("http://a/'\"\\\n é?x=%20".utf8))
        #expect(String(decoding: text, as: UTF8.self) == "http://a/%27%22%5C%0A%20%C3%A9?x=%20")
    }
}
