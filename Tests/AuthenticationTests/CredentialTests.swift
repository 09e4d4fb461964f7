import Authentication
import Bytes
import Crypto
import Testing

struct CredentialTests {
    @Test("S-6 a credential prints no secret")
    func prints() {
        let credential = Credential(name: "login", username: "alice", domain: "CORP", password: Secret("open sesame"))
        var text = "\(credential)\([credential])\(credential.kind)" + String(reflecting: credential.kind)
        dump(credential, to: &text)
        dump([credential.kind], to: &text)
        debugPrint(credential, credential.kind, Optional(credential) as Any, to: &text)
        #expect(!text.contains("sesame"))
        #expect(text.contains("<redacted>"))
    }

    @Test("A-3 what Basic can't carry is told beforehand")
    func predicates() {
        #expect(!make("a:b", "x").canAnswerBasic)
        #expect(make("ab", "x:y").canAnswerBasic)
        #expect(make("a\tb", "x").hasControlCharacter)
        #expect(make("ab", "x\u{0}").hasControlCharacter)
        #expect(!make("\u{e4}b", "x \u{e4}").hasControlCharacter)
        #expect(make("ab", "x").answers == [.basic, .digest, .ntlm, .negotiate])
    }

    @Test("A-7 a credential keeps its secret when name, domain and password do")
    func secrets() {
        #expect(make("a", "x").hasSameSecret(as: make("a", "x")))
        #expect(!make("a", "x").hasSameSecret(as: make("a", "y")))
        #expect(!make("a", "x").hasSameSecret(as: make("b", "x")))
        let domain = Credential(name: "c", username: "a", domain: "D", password: Secret("x"))
        #expect(!make("a", "x").hasSameSecret(as: domain))
    }

    private func make(_ username: String, _ password: String) -> Credential {
        Credential(name: "c", username: username, password: Secret(password))
    }
}
