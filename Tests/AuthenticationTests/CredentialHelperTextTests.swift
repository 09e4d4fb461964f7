import Authentication
import Crypto
import HTTP
import Testing

/// git's credential protocol [git-credential(1)].
@Suite struct CredentialHelperTextTests {
    private let server = Origin(scheme: .https, host: "git.example")

    private func answer(_ text: String, now: Int64 = 1000) -> String {
        let bytes = Array(text.utf8)
        switch CredentialHelperText.answer(bytes.span, now: now) {
        case .found(let kind, let expires):
            let end = expires.map { " until \($0)" } ?? ""
            switch kind {
            case .password(let username, nil, let password):
                return "\(String(decoding: username, as: UTF8.self)):\(self.text(password))\(end)"
            case .token(let token, nil): return "token \(self.text(token))\(end)"
            default: return "another kind"
            }
        case .none: return "none"
        case .quit: return "quit"
        case .failed(let reason): return "failed: \(reason)"
        }
    }

    private func text(_ secret: Secret) -> String {
        secret.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }

    @Test(
        "A-17 what a helper prints is read",
        arguments: [
            ("protocol=https\nhost=git.example\nusername=u\npassword=p=q\n", "u:p=q"),
            ("username=u\r\npassword=p\r\n\r\n", "u:p"), ("username=u\npassword=p", "u:p"),
            ("username=u\npassword=p\n\nusername=x\n", "u:p"), ("username=\npassword=\n", ":"),
            ("username=u\npassword=p\npassword_expiry_utc=1001\n", "u:p until 1001"),
            ("username=u\npassword=p\npassword_expiry_utc=soon\n", "u:p"),
            ("capability[]=authtype\nauthtype=Bearer\ncredential=abc\n", "token abc"),
            ("authtype=bearer\ncredential=abc\npassword_expiry_utc=2000\n", "token abc until 2000"),
        ]
    )
    func reads(_ text: String, _ expected: String) { #expect(answer(text) == expected) }

    @Test(
        "A-17 a helper that knows nothing, or a part, or what has ended, has none",
        arguments: ["", "\n", "username=u\n", "password=p\n", "username=u\npassword=p\npassword_expiry_utc=1000\n"]
    )
    func none(_ text: String) { #expect(answer(text) == "none") }

    @Test(
        "A-17 a helper that prints garbage has failed, and nothing of that is repeated",
        arguments: ["garbage\n", "username=u\npassw", "username=a\u{0}b\npassword=p\n", "username=u\u{1B}[2J\n"]
    )
    func garbage(_ text: String) {
        #expect(answer(text).hasPrefix("failed: a "))
        #expect(answer("authtype=Custom\ncredential=x\n") == "failed: an 'authtype' other than Bearer")
    }

    @Test("A-17 a helper may say that nobody else is to be asked", arguments: ["quit=1\n", "quit=true\nusername=u\n"])
    func quits(_ text: String) { #expect(answer(text) == "quit") }

    @Test("A-17 a helper is asked as git asks it, and told what became of its answer")
    func requests() throws {
        func text(_ server: Origin, _ kind: Credential.Kind? = nil) -> String? {
            CredentialHelperText.request(for: server, credential: kind).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(text(server) == "capability[]=authtype\nprotocol=https\nhost=git.example\n\n")
        let login = Credential.Kind.password(username: Array("u".utf8), domain: nil, password: Secret("p"))
        #expect(
            text(Origin(scheme: .http, host: "git.example", port: 8080), login)
                == "capability[]=authtype\nprotocol=http\nhost=git.example:8080\nusername=u\npassword=p\n\n"
        )
        #expect(
            text(server, .token(Secret("abc"), file: nil))?.hasSuffix("authtype=Bearer\ncredential=abc\n\n") == true
        )
        let long = Credential.Kind.password(
            username: [],
            domain: nil,
            password: Secret(String(repeating: "p", count: 9000))
        )
        #expect(
            text(server, long)?.utf8.count == 9000
                + "capability[]=authtype\nprotocol=https\nhost=git.example\nusername=\npassword=\n\n".utf8.count
        )
    }

    @Test("A-17 what the protocol can't carry is never written", arguments: ["p\nhost=evil.example", "p\rq", "p\u{0}"])
    func injection(_ word: String) {
        let login = Credential.Kind.password(username: [], domain: nil, password: Secret(word))
        #expect(CredentialHelperText.request(for: server, credential: login) == nil)
    }
}
