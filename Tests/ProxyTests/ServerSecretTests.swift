import Authentication
import Events
import Exchange
import Support
import Testing

@testable import Proxy

/// Secrets that depend on who asks: git's credential helpers and netrc files.
struct ServerSecretTests {
    private let fixture: SecretLaneFixture
    private let folder: ScratchFolder

    init() throws {
        ProcessSettings.ignoreBrokenPipes()
        fixture = try SecretLaneFixture()
        folder = try ScratchFolder()
    }

    private func helper(_ arguments: [String], _ persistence: Credential.Persistence = .session) -> Credential {
        Credential(name: "git", kind: .deferred(.helper(arguments)), persistence: persistence)
    }

    /// A helper that keeps what it reads, a file for each run, and runs a script.
    private func scripted(_ script: String, _ persistence: Credential.Persistence = .session) throws -> Credential {
        let keeping = "cat > \(folder.path)/$(date +%s%N).$1; "
        let path = try folder.write("#!/bin/sh\n\(keeping)\(script)\n", to: "helper", mode: 0o755)
        return helper([path], persistence)
    }

    /// What the helper read, with the operation, in the order of its runs.
    private var runs: [String] {
        names(in: folder.path).filter { $0 != "helper" }.sorted().map { name in
            "\(name.split(separator: ".")[1]): \(folder.text(of: name).split(separator: "\n").joined(separator: " "))"
        }
    }

    @Test("A-17 git-credential-store is asked for real, told what was right, and told to forget what was wrong")
    func store() throws {
        let file = try folder.write("https://alice:wrong@api.example\nhttps://bob:b%3Ab@other.example\n", to: "store")
        let credential = helper(["git", "credential-store", "--file", file])
        let policy = fixture.policy(credential)
        #expect(try fixture.ask(fixture.question(credential, host: "other.example"), policy).text == "bob:b:b")
        #expect(try fixture.ask(fixture.question(credential, host: "absent.example"), policy).text == "-")
        let wrong = try #require(try fixture.ask(fixture.question(credential), policy).credential)
        #expect(wrong.text == "alice:wrong" && wrong.source === credential)
        fixture.rejected(wrong, policy)
        try eventually("the line to go") { !folder.text(of: "store").contains("alice") }
        #expect(folder.text(of: "store").contains("bob"))
        #expect(try fixture.ask(fixture.question(credential), policy).text == "-")
    }

    @Test("A-17 a helper is asked once for a server, and told once what was right")
    func verdicts() throws {
        let credential = try scripted("echo username=alice; echo password=right")
        let policy = fixture.policy(credential)
        let found = try #require(try fixture.ask(fixture.question(credential), policy).credential)
        for _ in 0..<3 { fixture.confirmed(found, policy) }
        #expect(try fixture.ask(fixture.question(credential), policy).credential === found)
        let asked = "capability[]=authtype protocol=https host=api.example"
        let expected = ["get: \(asked)", "store: \(asked) username=alice password=right"]
        try eventually("two runs") { runs.count == 2 && runs[1].hasSuffix("right") }
        #expect(runs == expected)
    }

    @Test("A-17 without persistence a helper is asked for each exchange, one at a time")
    func each() throws {
        let credential = try scripted("echo username=alice; echo password=$(ls \(folder.path) | wc -l)", .none)
        let policy = fixture.policy(credential)
        let answers = Locked<[String]>([])
        for _ in 0..<5 {
            let question = fixture.question(credential)
            #expect(fixture.lane.known(question, under: policy, now: LedgerProcess.now) == nil)
            fixture.lane.fetch(question, under: policy, now: LedgerProcess.now) { answer in
                answers.withLock { $0.append(answer.text) }
            }
        }
        try eventually("5 answers") { answers.withLock { $0.count } == 5 }
        // The helper itself is a file of the folder.
        #expect(answers.withLock { $0 } == (2...6).map { "alice:\($0)" })
    }

    @Test("A-17 a helper's token is used as Bearer, until it ends")
    func token() throws {
        let credential = try scripted("echo authtype=Bearer; echo credential=t; echo password_expiry_utc=9999999999")
        #expect(try fixture.ask(fixture.question(credential), fixture.policy(credential)).text == "t")
    }

    @Test(
        "A-17 a helper that fails, prints garbage or no token gives nothing, and the reason tells nothing of it",
        arguments: [
            ("echo s3cret", "its helper printed a line without '='"),
            ("head -c 1000 /dev/zero", "its helper printed a line without '='"),
            ("exit 1", "its program ended with status 1"),
            ("echo authtype=Bearer; echo 'credential=s3 cret'", "what its helper printed is no token"),
        ]
    )
    func garbage(_ script: String, _ reason: String) throws {
        let credential = try scripted(script)
        let answer = try fixture.ask(fixture.question(credential), fixture.policy(credential))
        #expect(answer.explanation == "The secret of the credential 'git' can't be had: \(reason).")
    }

    @Test("A-17 a helper that hangs is ended at its deadline, and holds up no other credential")
    func hanging() throws {
        let hanging = try scripted("sleep 60")
        let other = Credential(name: "netrc", kind: .deferred(.netrc(try folder.write("", to: "netrc"))))
        let policy = fixture.policy(hanging, other)
        let answer = Locked<SecretAnswer?>(nil)
        fixture.lane.fetch(fixture.question(hanging), under: policy, now: LedgerProcess.now) { told in
            answer.withLock { $0 = told }
        }
        #expect(try fixture.ask(fixture.question(other), policy).text == "-")
        #expect(answer.withLock { $0 } == nil)
        try eventually("an answer", within: .seconds(20)) { answer.withLock { $0 != nil } }
        let text = answer.withLock { $0 }?.explanation
        #expect(text == "The secret of the credential 'git' can't be had: its program didn't end in time.")
    }

    @Test("A-17 a netrc file gives each host its own login, and none to others")
    func netrc() throws {
        let path = try folder.write(
            "machine api.example login alice password \"a b\"\ndefault login x password y\n",
            to: "netrc"
        )
        let credential = Credential(name: "netrc", kind: .deferred(.netrc(path)))
        let policy = fixture.policy(credential)
        #expect(try fixture.ask(fixture.question(credential), policy).text == "alice:a b")
        #expect(try fixture.ask(fixture.question(credential, host: "other.example"), policy).text == "-")
    }

    @Test(
        "A-17 a netrc file that is refused is read again, one that is missing or broken is told",
        arguments: [nil, "machine \"x"]
    )
    func changedNetrc(_ content: String?) throws {
        try folder.write("machine api.example login alice password old\n", to: "netrc")
        let credential = Credential(name: "netrc", kind: .deferred(.netrc(folder("netrc"))))
        let policy = fixture.policy(credential)
        let old = try #require(try fixture.ask(fixture.question(credential), policy).credential)
        try folder.write("machine api.example login alice password new\n", to: "netrc")
        #expect(try fixture.ask(fixture.question(credential, refused: old), policy).text == "alice:new")
        let absent = Credential(name: "absent", kind: .deferred(.netrc(folder("absent"))))
        if let content { try folder.write(content, to: "absent") }
        let answer = try fixture.ask(fixture.question(absent), fixture.policy(absent))
        #expect(answer.text == "secret.unavailable")
        #expect(answer.explanation?.contains(folder.path) == false)
    }
}
