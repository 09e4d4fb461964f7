import Bytes
import Testing

@testable import HTTP

@Suite struct AuthorityTests {
    static func parts(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let authority = Authority.parse(bytes.span) else { return nil }
        let host = String(bytes.span.extracting(authority.host))
        return "\(host) \(authority.port.map(String.init) ?? "-") \(authority.isIPv6Literal)"
    }

    @Test(
        "A-22 host and port are read in one way",
        arguments: [
            ("h", "h - false"), ("h:1", "h 1 false"), ("h:65535", "h 65535 false"), ("h:080", "h 80 false"),
            ("h:", "h - false"), ("H.example.", "H.example. - false"), ("a_b-c~d.e", "a_b-c~d.e - false"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example - false"), ("127.0.0.1:80", "127.0.0.1 80 false"),
            ("1.2.3.4.5.example", "1.2.3.4.5.example - false"), ("3com.example", "3com.example - false"),
            ("0xg.1", "0xg.1 - false"), ("127.0.0.1.", "127.0.0.1. - false"), ("[::1]", "::1 - true"),
            ("[::1]:", "::1 - true"),
            ("[2001:DB8::1]:443", "2001:DB8::1 443 true"), ("[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1 1 true"),
        ]
    )
    func read(_ text: String, _ parts: String) {
        #expect(Self.parts(text) == parts)
    }

    @Test(
        "A-22 what could be dialled otherwise than it is matched is refused",
        arguments: [
            "", ":", ":80", "h:0", "h:00000", "h:65536", "h:000080", "h:8 ", "h:-1", "h:+1", "h:a", "h:80:80", "h h",
            "h/",
            "u@h", "h%41", "h,i", "h;i", "h!", "(h)", "*", ".", ".h", "h..i", "h..", "hä", "h\\", "h\0", "h\n", "::1",
            "[::1",
            "::1]", "[]", "[h]", "[127.0.0.1]", "[::1]a", "[::1]:0", "[fe80::1%eth0]", "[v1.x]", "1", "127.1",
            "127.0.1", "0x7f000001", "0x7f.1", "1.0x7f", "0177.0.0.1", "2130706433", "256.1.1.1", "1.2.3.4.5", "0x",
            String(repeating: "a", count: 256),
        ]
    )
    func refused(_ text: String) {
        #expect(Self.parts(text) == nil)
    }
}
