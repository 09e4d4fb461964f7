import Testing

@testable import Bytes

@Suite struct HexTests {
    @Test("bytes and digits stand for each other")
    func both() {
        let bytes: [UInt8] = [0x00, 0x1f, 0xa9, 0xff]
        #expect(Hex.encode(bytes.span) == Array("001fa9ff".utf8))
        #expect(Hex.decode(Array("001fA9Ff".utf8).span) == bytes)
    }

    @Test("an odd digit and what is none are refused", arguments: ["0", "0g", "g0", "0x", " 0", "@0", "`0"])
    func refused(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Hex.decode(bytes.span) == nil)
    }
}
