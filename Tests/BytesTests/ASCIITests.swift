import Testing

@testable import Bytes

@Suite struct ASCIITests {
    @Test("tchar are letters, digits and fifteen marks")
    func tokens() {
        let marks = "!#$%&'*+-.^_`|~"
        let tokens = Set("\(marks)0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(ASCII.isToken(byte) == tokens.contains(byte))
        }
        #expect(ASCII.isToken(Array("a-b".utf8).span) == true)
        #expect(ASCII.isToken(Array("a b".utf8).span) == false)
        #expect(ASCII.isToken([UInt8]().span) == false)
    }

    @Test("only A to Z are folded")
    func folding() {
        for byte in UInt8.min...UInt8.max {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            #expect(ASCII.lowercased(byte) == (isUpper ? byte + 32 : byte))
        }
        #expect(ASCII.equalsIgnoringCase(Array("HoSt".utf8).span, "host") == true)
        #expect(ASCII.equalsIgnoringCase(Array("[host".utf8).span, "{host") == false)
        #expect(ASCII.equalsIgnoringCase(Array("host ".utf8).span, "host") == false)
        #expect(ASCII.hasPrefixIgnoringCase(Array("BASIC x".utf8).span, "basic ") == true)
        #expect(ASCII.hasPrefixIgnoringCase(Array("bas".utf8).span, "basic") == false)
        #expect(ASCII.equals(Array("a".utf8).span, "a") == true)
        #expect(ASCII.equals(Array("a".utf8).span, "A") == false)
    }

    @Test("blanks are trimmed at both ends only")
    func trimming() {
        let bytes = Array(" \t a b\t ".utf8)
        #expect(String(ASCII.trimmingBlanks(bytes.span)) == "a b")
        #expect(String(ASCII.trimmingBlanks(Array("  ".utf8).span)) == "")
        #expect(ASCII.firstIndex(of: UInt8(ascii: "b"), in: bytes.span) == 5)
        #expect(ASCII.firstIndex(of: UInt8(ascii: "a"), in: bytes.span, from: 4) == nil)
    }

    @Test(
        "decimal numbers are digits alone and fit 64 bits",
        arguments: [
            ("0", 0), ("007", 7), ("18446744073709551615", UInt64.max), ("18446744073709551616", nil), ("", nil),
            ("-1", nil), ("+1", nil), (" 1", nil), ("1 ", nil), ("0x1", nil), ("99999999999999999999", nil),
        ] as [(String, UInt64?)]
    )
    func decimal(_ text: String, _ value: UInt64?) {
        let bytes = Array(text.utf8)
        #expect(ASCII.decimal(bytes.span) == value)
    }
}
