import Authentication
import Bytes
import Crypto
import Testing

struct BasicResponderTests {
    @Test("A-3 V-R1 the value is that of RFC 7617")
    func rfc() throws {
        #expect(try value("Aladdin", "open sesame") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test("A-3 V-R2 the charset is the challenge's, then the rule's, then UTF-8")
    func charset() throws {
        let named = DigestFixture.challenges(#"Basic realm="foo", charset="utf-8""#)[0]
        let other = DigestFixture.challenges(#"Basic realm="foo", charset="US-ASCII""#)[0]
        #expect(BasicResponder.charset(of: named, ruleCharset: .latin1) == .utf8)
        #expect(BasicResponder.charset(of: other, ruleCharset: .latin1) == .latin1)
        #expect(BasicResponder.charset(of: nil, ruleCharset: .utf8) == .utf8)
        #expect(try value("test", "123\u{a3}") == "Basic dGVzdDoxMjPCow==")
        #expect(try value("test", "123\u{a3}", .latin1) == "Basic dGVzdDoxMjOj")
    }

    @Test("A-3 what a charset, a colon or a control character forbids is an error")
    func refuses() {
        #expect(throws: AuthenticationError.charsetUnencodable) { try value("\u{20ac}", "x", .latin1) }
        #expect(throws: AuthenticationError.colonInUsername) { try value("a:b", "x") }
        #expect(throws: AuthenticationError.controlCharacter) { try value("a", "x\ny") }
        #expect(throws: AuthenticationError.controlCharacter) { try value("a\u{7f}", "x") }
    }

    @Test("A-3 a colon in the password, an empty name and an empty password are fine")
    func empties() throws {
        #expect(try value("", "pw") == "Basic OnB3")
        #expect(try value("u", "") == "Basic dTo=")
        #expect(try value("u", "a:b") == "Basic dTphOmI=")
    }

    @Test("A-25 a value of nearly 64 KiB is built on one line, a longer one is an error")
    func long() throws {
        let built = try value("u", String(repeating: "x", count: 49_144))
        #expect(built.utf8.count == 65_534)
        #expect(!built.contains("\n"))
        #expect(throws: AuthenticationError.valueTooLong) { try value("u", String(repeating: "x", count: 49_150)) }
    }

    private func value(_ username: String, _ password: String, _ charset: Charset = .utf8) throws -> String {
        let credential = Credential(name: "test", username: username, password: Secret(password))
        return try BasicResponder.value(credential, charset: charset).withBytes { String($0) }
    }
}
