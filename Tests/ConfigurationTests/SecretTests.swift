import Authentication
import Bytes
import Crypto
import Rules
import Synchronization
import Testing

@testable import Configuration

@Suite struct SecretTests {
    private func file(_ secret: String) -> String {
        withRule(
            "{ space: { host: a.example.com }, use: staff }",
            credential: "{ username: alice, password: \(secret) }"
        )
    }

    private func password(of result: LoadResult) -> String? {
        guard case .password(_, _, let password)? = result.configuration?.credentials.first?.kind else { return nil }
        return password.withBytes { String($0) }
    }

    @Test(
        "a file's content less one trailing newline",
        arguments: [("pw", "pw"), ("pw\n", "pw"), ("pw\r\n", "pw"), (" pw ", " pw ")]
    )
    func fileContent(content: String, secret: String) {
        #expect(password(of: load(file("{ file: /run/x }"), files: ["/run/x": content])) == secret)
    }

    @Test(
        "a second line, a tab and other control characters are refused",
        arguments: ["pw\n\n", "pw\nmore\n", "p\tw", "p\u{7F}w", "\r\r\n"]
    )
    func control(content: String) {
        let expected = "3:39 a password can't hold a control character, such as a second line or a tab"
        #expect(said(file("{ file: /run/x }"), files: ["/run/x": content]) == [expected])
    }

    @Test("an empty file is an error, a written empty value is not") func empty() {
        #expect(said(file("{ file: /run/x }"), files: ["/run/x": "\n"]) == ["3:47 the file of this secret is empty"])
        #expect(password(of: load(file("{ value: \"\" }"))) == "")
    }

    @Test("a path is relative to the folder of its file, ~ is the home") func paths() {
        #expect(password(of: load(file("{ file: s/x }"), files: ["/etc/s/x": "pw"])) == "pw")
        #expect(password(of: load(file("{ file: ~/x }"), files: ["/home/test/x": "pw"])) == "pw")
        #expect(
            load(file("{ file: s/x }"), files: ["/etc/s/x": "pw"]).watchedFiles == [
                "/etc/countersign.yaml", "/etc/s/x",
            ]
        )
    }

    @Test(
        "why a file can't be read is told",
        arguments: [
            (FileError.forbidden, "the right to read it is missing"), (.noFile, "it isn't a file"),
            (.tooLarge(limit: 65536), "it is larger than 65536 bytes"),
            (.system("Input/output error"), "Input/output error"),
        ]
    )
    func unreadable(failure: FileError, words: String) {
        let said = said(file("{ file: /run/x }")) { $0.failures["/run/x"] = failure }
        #expect(said == ["3:47 the file of this secret can't be read: \(words)"])
    }

    @Test("an environment variable holds a secret") func environment() {
        #expect(password(of: load(file("{ env: PW }"), environment: ["PW": "pw\n "])) == nil)
        #expect(password(of: load(file("{ env: PW }"), environment: ["PW": "pw"])) == "pw")
        #expect(
            said(file("{ env: PW }"), environment: ["PW": ""]) == [
                "3:46 the environment variable of this secret is empty"
            ]
        )
    }

    @Test("a variable is taken once and kept over reloads") func takenOnce() {
        let count = Mutex(0)
        let environment = EnvironmentSecrets(
            look: { _ in nil },
            take: { _ in
                count.withLock { count in
                    count += 1
                    return count == 1 ? Secret("pw") : nil
                }
            }
        )
        let files = MemoryFiles(texts: ["/x.yaml": file("{ env: PW }")])
        for _ in 0..<3 {
            #expect(password(of: RuleFile.load(path: "/x.yaml", environment: environment, files: files)) == "pw")
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("systemd's credentials lie in their folder") func systemd() {
        let environment = ["CREDENTIALS_DIRECTORY": "/run/credentials/c"]
        let result = load(file("{ systemd: pw }"), files: ["/run/credentials/c/pw": "pw\n"], environment: environment)
        #expect(password(of: result) == "pw")
        #expect(
            said(file("{ systemd: ../pw }"), environment: environment) == [
                "3:50 the name of a systemd credential has no '/'"
            ]
        )
    }

    @Test("a literal in a file that others can read is a warning, in one that they can't is none") func literal() {
        let warning =
            "3:48 warning: a secret stands in this file, which other users can read: chmod o-r, or { file: PATH }"
        #expect(said(file("{ value: pw }")) { $0.readableByOthers = ["/etc/countersign.yaml"] } == [warning])
        #expect(said(file("{ value: pw }")) == [])
        #expect(
            said(file("{ file: /run/x }"), files: ["/run/x": "pw"]) { $0.readableByOthers = ["/etc/countersign.yaml"] }
                == []
        )
    }

    @Test(
        "texts of YAML's own types stay the text they are",
        arguments: ["0123", "no", "1e3", "2027-06-30", "~", "true"]
    )
    func untyped(text: String) { #expect(password(of: load(file("{ value: \(text) }"))) == text) }

    @Test("32 hex digits are meant where the form is said", arguments: ["plain", "md5-hex"])
    func hash(form: String) {
        let hex = "0123456789abcdef0123456789abcdef"
        let credential = "{ username: a, password: { value: \(hex) }, password_form: \(form) }"
        #expect(said(withRule("{ space: { host: a.example.com }, use: staff }", credential: credential)) == [])
        let short = "{ username: a, password: { value: abc }, password_form: md5-hex }"
        #expect(
            said(withRule("{ space: { host: a.example.com }, use: staff }", credential: short)) == [
                "3:35 'password_form: md5-hex' needs 32 hex digits"
            ]
        )
    }

    @Test("without secrets nothing outside the rule file is read") func noSecrets() {
        for secret in ["{ file: /nowhere }", "{ env: NOTHING }", "{ systemd: nothing }"] {
            #expect(said(file(secret), readsSecrets: false) == [])
        }
        let patterns = withRule("{ space: { host: { file: /nowhere } }, use: staff }")
        #expect(said(patterns, readsSecrets: false) == [])
        #expect(
            said(file("{ fil: /nowhere }"), readsSecrets: false) == [
                "3:41 unknown key in a secret; did you mean 'file'?"
            ]
        )
    }

    @Test("a username can be a secret") func secretUsername() throws {
        let text = withRule(
            "{ space: { host: a.example.com }, use: staff }",
            credential: "{ username: { file: /run/u }, password: { file: /run/pw } }"
        )
        let result = load(text, files: ["/run/u": "alice\n", "/run/pw": "pw"])
        guard case .password(let username, _, _)? = result.configuration?.credentials.first?.kind else {
            Issue.record("no credential")
            return
        }
        #expect(String(decoding: username, as: UTF8.self) == "alice")
        #expect(
            said(text, files: ["/run/u": "a\tb\n", "/run/pw": "pw"]) == [
                "3:22 a username can't hold a control character"
            ]
        )
    }

    @Test("A-3 a colon in the user-id is an error where basic could be used") func colon() {
        func text(_ space: String) -> String {
            withRule(
                "{ space: { host: a.example.com\(space) }, use: staff }",
                credential: "{ username: \"a:b\", password: { value: x } }"
            )
        }
        #expect(load(text("")).hasErrors)
        #expect(load(text(", method: [basic, digest]")).hasErrors)
        #expect(!load(text(", method: [digest]")).hasErrors)
    }

    @Test(
        "A-3 control characters in a username are an error",
        arguments: [
            #""CORP\alice""#, #""CORP\bob""#, #""CORP\eve""#, #""CORP\frank""#, #""CORP\nick""#, #""CORP\rob""#,
            #""CORP\tom""#,
            #""CORP\victor""#, #""CORP\Nora""#, #""CORP\Lars""#, #""CORP\Paul""#, #""CORP\_svc""#,
        ]
    )
    func doubleQuotes(username: String) {
        let text = withRule(
            "{ space: { host: a.example.com }, use: staff }",
            credential: "{ username: \(username), password: { value: x } }"
        )
        let cure =
            "in double quotes a backslash begins an escape; write 'CORP\\alice' in single quotes, or domain: CORP"
        #expect(said(text) == ["3:22 a username can't hold a control character: \(cure)"])
        let domain = withRule(
            "{ space: { host: a.example.com }, use: staff }",
            credential: "{ username: a, domain: \(username), password: { value: x } }"
        )
        #expect(said(domain) == ["3:33 a domain can't hold a control character: \(cure)"])
        let single = username.replacing("\"", with: "'")
        #expect(
            said(
                withRule(
                    "{ space: { host: a.example.com }, use: staff }",
                    credential: "{ username: \(single), password: { value: x } }"
                )
            ) == []
        )
    }

    @Test(
        "unknown escapes in double quotes name the cure",
        arguments: [#""CORP\dave""#, #""CORP\ulf""#, #""CORP\xavier""#]
    )
    func unknownEscapes(username: String) {
        let text = withRule(
            "{ space: { host: a.example.com }, use: staff }",
            credential: "{ username: \(username), password: { value: x } }"
        )
        #expect(said(text).count == 1)
        #expect(
            said(text).first?.contains(
                "in double quotes a backslash begins an escape: use single quotes, 'CORP\\dave', or 'domain'"
            ) == true
        )
    }
}
