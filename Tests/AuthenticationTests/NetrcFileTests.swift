import Authentication
import Crypto
import Testing

/// netrc as curl reads it, but for `default` entries.
@Suite struct NetrcFileTests {
    /// `user:password`, `none`, or `line N`.
    private func entry(_ text: String, host: String = "a.example") -> String {
        let bytes = Array(text.utf8)
        switch NetrcFile.entry(for: host, in: bytes.span) {
        case .login(let username, let password):
            let word = password.withBytes { span in span.indices.map { span[$0] } }
            return String(decoding: username, as: UTF8.self) + ":" + String(decoding: word, as: UTF8.self)
        case .none: return "none"
        case .malformed(let line): return "line \(line)"
        }
    }

    @Test(
        "A-17 the entry of the host is found, however its tokens are spread over lines",
        arguments: [
            "machine a.example login u password p", "machine a.example\n\tlogin u\n\tpassword p\n",
            "machine A.Example password p login u", "machine a.example.\r\nlogin u\r\npassword p\r\n",
            "MACHINE a.example LOGIN u PASSWORD p",
            "machine b.example login x password y\nmachine a.example login u password p",
            "# machine a.example login x password y\nmachine a.example login u password p",
            "  # x\nmachine a.example account z login u password p",
            "machine \"a.example\" login \"u\" password \"p\"",
        ]
    )
    func found(_ text: String) { #expect(entry(text) == "u:p") }

    @Test(
        "A-17 quotes and escapes are curl's",
        arguments: [
            (#"machine a.example login "u v" password "p\"q\\r""#, #"u v:p"q\r"#),
            (#"machine a.example login u password p"q"#, #"u:p"q"#),
            (#"machine a.example login u password p\q"#, #"u:p\q"#),
            (##"machine a.example login u password #p"##, "u:#p"),
            (#"machine a.example login u password """#, "u:"),
        ]
    )
    func quotes(_ text: String, _ expected: String) { #expect(entry(text) == expected) }

    @Test("A-17 a quote that never closes and a control character spoil the file, at their line")
    func malformed() {
        #expect(entry("machine b.example login x\nmachine a.example login \"u password p") == "line 2")
        #expect(entry(#"machine a.example login u password "p\nq""#) == "line 1")
        // What stands behind the host's entry isn't read.
        #expect(entry("machine a.example login u password p\nmachine b.example login \"x") == "u:p")
    }

    @Test("A-17 neither a default entry nor another host's is used")
    func others() {
        #expect(entry("default login x password y") == "none")
        #expect(entry("machine b.example login x password y") == "none")
        #expect(entry("machine a.example.org login x password y") == "none")
        #expect(entry("machine a.example default login x password y") == "none")
        #expect(entry("") == "none")
    }

    @Test("A-17 a macro is skipped up to its empty line, whatever stands in it")
    func macro() {
        let macro = "macdef init\nmachine a.example login x password y\n\"\n\n"
        #expect(entry(macro + "machine a.example login u password p") == "u:p")
        #expect(entry("machine a.example login u\n" + macro + "password p") == "u:p")
        #expect(entry("macdef init\nmachine a.example login x password y") == "none")
    }

    @Test("A-17 of several entries for a host the first with a password counts, else the first login without one")
    func several() {
        let second = "machine a.example login u password p\n"
        #expect(entry(second + "machine a.example login x password y") == "u:p")
        #expect(entry("machine a.example login x\n" + second) == "u:p")
        #expect(entry("machine a.example login u\nmachine a.example login x") == "u:")
        #expect(entry("machine a.example password p\nmachine a.example login x password y") == ":p")
    }
}
