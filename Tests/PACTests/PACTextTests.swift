import PAC
import Testing

struct PACTextTests {
    private func script(_ bytes: [UInt8], _ charset: String? = nil) -> String? {
        PACText.script(bytes, charset: charset).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("R-3 the charset is the header's, else the mark's, else UTF-8 where it is that, else Latin-1")
    func charsets() {
        let utf8 = Array("a='é€'".utf8)
        #expect(script(utf8) == #"a='\u00e9\u20ac'"#)
        #expect(script([0xef, 0xbb, 0xbf] + utf8) == #"a='\u00e9\u20ac'"#)
        #expect(script([0xef, 0xbb, 0xbf] + utf8, "UTF-8") == #"a='\u00e9\u20ac'"#)
        #expect(script([0x61, 0xe9]) == #"a\u00e9"#)
        #expect(script([0x61, 0xe9], "utf-8") == #"a\ufffd"#)
        #expect(script(Array("é".utf8), "ISO-8859-1") == #"\u00c3\u00a9"#)
        // The euro sign and a dash of cp1252.
        #expect(script([0x80, 0x96, 0x61]) == #"\u0080\u0096a"#)
        #expect(script([0xff, 0xfe, 0x61, 0x00, 0xe9, 0x00]) == #"a\u00e9"#)
        #expect(script([0x00, 0x61, 0x00, 0xe9], "utf-16be") == #"a\u00e9"#)
        #expect(script(Array("x".utf8), "x-unknown") == "x")
    }

    @Test("what isn't ASCII means the same behind a backslash, as a blank, and beyond 16 bits")
    func escapes() {
        #expect(script(Array(#"'\é' '\\é'"#.utf8)) == #"'\u00e9' '\\\u00e9'"#)
        #expect(script(Array("a\u{a0}b\u{2028}c".utf8)) == "a b\nc")
        #expect(script(Array("😀".utf8)) == #"\ud83d\ude00"#)
        #expect(script([0x61, 0, 0x62]) == nil)
    }

    @Test(
        "the charset is found in Content-Type",
        arguments: [
            ("application/x-ns-proxy-autoconfig", nil), ("text/plain; charset=utf-8", "utf-8"),
            ("text/plain;x=y; Charset = \"ISO-8859-1\"", "iso-8859-1"), ("text/plain; charset", nil),
        ]
    )
    func contentType(_ value: String, _ charset: String?) {
        let bytes = Array(value.utf8)
        let found = PACText.charset(in: bytes.span)
        #expect(found == charset)
    }
}
