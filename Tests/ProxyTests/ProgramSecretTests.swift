import Authentication
import Bytes
import Crypto
import Events
import Support
import Testing

@testable import Proxy

/// Secrets that programs print, and tokens that files hold, as the lane has them.
struct ProgramSecretTests {
    private let fixture: SecretLaneFixture
    private let folder: ScratchFolder

    init() throws {
        ProcessSettings.ignoreBrokenPipes()
        fixture = try SecretLaneFixture()
        folder = try ScratchFolder()
    }

    private func program(
        _ script: String,
        refresh: Nanoseconds? = nil,
        timeout: Nanoseconds = .seconds(20)
    ) -> SecretProgram {
        SecretProgram(arguments: ["sh", "-c", script], refresh: refresh, timeout: timeout)
    }

    /// A token that a program prints.
    private func token(_ program: SecretProgram) -> Credential {
        let credential = ProgramCredential(
            programs: [program],
            answers: [.bearer],
            definition: Secret("token")
        ) { .token($0[0], file: nil) }
        return Credential(name: "printed", kind: .deferred(.programs(credential)))
    }

    /// A script that prints how often it ran.
    private var counting: String { "echo x >> \(folder.path)/runs; wc -l < \(folder.path)/runs | tr -d ' '" }
    private var runs: Int { contents(of: "\(folder.path)/runs").map { $0.count / 2 } ?? 0 }

    @Test("A-17 what a program printed is used less its newline, and it runs once for all who ask")
    func once() throws {
        let credential = token(program("sleep 0.3; \(counting)"))
        let policy = fixture.policy(credential)
        let answers = Locked<[String]>([])
        for _ in 0..<50 {
            fixture.lane.fetch(fixture.question(credential), under: policy, now: LedgerProcess.now) { answer in
                answers.withLock { $0.append(answer.text) }
            }
        }
        try eventually("50 answers") { answers.withLock { $0.count } == 50 }
        #expect(Set(answers.withLock { $0 }) == ["1"])
        #expect(try fixture.ask(fixture.question(credential), policy).text == "1")
        #expect(runs == 1)
    }

    @Test("A-17 after a rejection a program without refresh runs again, but not at each rejection")
    func refused() throws {
        let credential = token(program(counting))
        let policy = fixture.policy(credential)
        let first = try #require(try fixture.ask(fixture.question(credential), policy).credential)
        let second = try #require(try fixture.ask(fixture.question(credential, refused: first), policy).credential)
        #expect(second.text == "2")
        #expect(try fixture.ask(fixture.question(credential, refused: second), policy).credential === second)
        fixture.confirmed(second, policy)
        #expect(try fixture.ask(fixture.question(credential, refused: second), policy).text == "3")
        #expect(runs == 3)
    }

    @Test("A-17 a program with refresh runs again when that time is over")
    func refresh() throws {
        let credential = token(program(counting, refresh: .milliseconds(400)))
        let policy = fixture.policy(credential)
        #expect(try fixture.ask(fixture.question(credential), policy).text == "1")
        #expect(try fixture.ask(fixture.question(credential), policy).text == "1")
        pause(.milliseconds(450))
        #expect(try fixture.ask(fixture.question(credential), policy).text == "2")
    }

    @Test(
        "A-17 a program that fails, hangs or prints nothing gives no secret, and the reason tells nothing of it",
        arguments: [
            ("echo s3cret; exit 3", "its program ended with status 3"),
            ("kill -9 $$", "its program was ended by signal 9"),
            ("echo s3cret; sleep 60", "its program didn't end in time"), ("true", "its program printed nothing"),
            ("yes s3cret", "its program printed too much"),
        ]
    )
    func failing(_ script: String, _ reason: String) throws {
        let credential = token(program(script, timeout: .seconds(1)))
        let answer = try fixture.ask(fixture.question(credential), fixture.policy(credential))
        #expect(answer.text == "secret.unavailable")
        #expect(answer.explanation == "The secret of the credential 'printed' can't be had: \(reason).")
    }

    @Test("A-17 a program that is missing gives no secret")
    func missing() throws {
        let absent = SecretProgram(arguments: ["\(folder.path)/absent", "s3cret"], refresh: nil, timeout: .seconds(5))
        let credential = token(absent)
        let answer = try fixture.ask(fixture.question(credential), fixture.policy(credential))
        #expect(answer.text == "secret.unavailable")
        #expect(answer.explanation?.contains(folder.path) == false)
    }

    @Test(
        "A-24 a client secret that a program prints is kept from one token to the next"
    )
    func clientSecret() throws {
        let endpoint = try ScriptedPeer { request in
            [.response(body: #"{"access_token":"t\#(request.connection)","token_type":"Bearer","expires_in":0}"#)]
        }
        let url = "http://127.0.0.1:\(endpoint.port)/"
        let programs = ProgramCredential(
            programs: [program(counting)],
            answers: [.bearer],
            definition: Secret("oauth2")
        ) { .deferred(.oauth2(OAuth2Credential(tokenEndpoint: url, clientID: Secret("c"), clientSecret: $0[0]))) }
        let credential = Credential(name: "crm", kind: .deferred(.programs(programs)))
        let policy = fixture.policy(credential)
        for number in 0..<3 {
            #expect(try fixture.ask(fixture.question(credential), policy).text == "t\(number)")
        }
        #expect(runs == 1)
        // `printf c:1 | base64`
        #expect(endpoint.requests.allSatisfy { $0["Authorization"] == "Basic Yzox" })
    }

    @Test("A-10 a refused token of a file is read again once; the same one stays the same credential")
    func tokenFile() throws {
        let path = try folder.write("new\n", to: "token")
        let credential = Credential(name: "static", kind: .token(Secret("old"), file: path))
        let policy = fixture.policy(credential)
        #expect(try fixture.ask(fixture.question(credential), policy).credential === credential)
        let next = try #require(try fixture.ask(fixture.question(credential, refused: credential), policy).credential)
        #expect(next.text == "new" && next.source === credential && next.key != nil)
        #expect(try fixture.ask(fixture.question(credential), policy).credential === next)
        fixture.confirmed(next, policy)
        #expect(try fixture.ask(fixture.question(credential, refused: next), policy).credential === next)
    }

    @Test("A-10 a token's file that is gone, or holds none, leaves the token that there was", arguments: [nil, "a b"])
    func noTokenFile(_ content: String?) throws {
        if let content { _ = try folder.write(content, to: "token") }
        let credential = Credential(name: "static", kind: .token(Secret("old"), file: folder("token")))
        let policy = fixture.policy(credential)
        let next = try fixture.ask(fixture.question(credential, refused: credential), policy)
        #expect(next.credential === credential)
    }
}
