import Foundation
import Support
import Testing

/// Connections that the kernel redirected, in namespaces of the test's own.
///
/// All of it is one play, since setting the stage takes longer than what is shown on it.
@Suite struct TransparentListenerTests {
    /// What the stage printed.
    struct Outcome: Decodable {
        struct Seen: Decodable {
            let server: String
            let line: String
            let host: String?
            let authorization: String?
        }

        enum Result: Decodable, Equatable {
            case text(String)
            case texts([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let texts = try? container.decode([String].self) {
                    self = .texts(texts)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }
        }

        /// Why the kernel, or what is installed, allows no stage.
        let skipped: String?
        let results: [String: Result]?
        let seen: [Seen]?
        let log: String?
    }

    private struct Plan: Encodable {
        let folder: String
        let own: String
        let theirs: String
        let certificate: String
        let key: String
        let proxy: [String]
    }

    private static let rules = """
        version: 1
        state: state
        listeners:
          - { address: "127.0.0.1:9327", mode: transparent }
          - { address: "[::1]:9327", mode: transparent }
        access: { clients: [10.99.0.0/16, "fd99::/16", 127.0.0.0/8] }
        credentials: { staff: { username: user, password: { value: right } } }
        rules:
          - space: { host: [site.test, six.test, other.test, 10.99.0.1, 10.99.0.9, nowhere.invalid, plain.test], port: any }
            use: staff
            cleartext: true

        """

    private static let play = Result { try perform() }

    private static func perform() throws -> Outcome {
        let (own, theirs) = (try TestAuthority(), try TestAuthority())
        let leaf = try theirs.leaf("transparent", names: "DNS:site.test,DNS:other.test,DNS:plain.test")
        let folder = try ScratchFolder("transparent")
        try folder.write(
            rules + """
                trust: [{ host: "*", anchors: { file: \(theirs.certificate) } }]
                interception: { authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }, \
                hosts: [site.test, other.test] }

                """,
            to: "countersign.yaml",
            mode: 0o600
        )
        let plan = Plan(
            folder: folder.path,
            own: own.certificate,
            theirs: theirs.certificate,
            certificate: leaf.certificate,
            key: leaf.key,
            proxy: [try Binary.path(), "run", "--config", folder("countersign.yaml"), "--workers", "2"]
        )
        let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        let stage = try TestProcess(
            "unshare",
            ["--net", "--mount", HTTPBin.python(), Fixture.path("transparent/stage.py"), text]
        )
        _ = try stage.waitForExit(within: .seconds(120))
        guard let outcome = try? JSONDecoder().decode(Outcome.self, from: Data(stage.outputBytes)) else {
            if stage.errors.contains("unshare") {
                return Outcome(skipped: stage.errors, results: nil, seen: nil, log: nil)
            }
            throw TestFailure("the stage: \(stage.errors)\(stage.output)\(folder.text(of: "log"))")
        }
        return outcome
    }

    /// What was shown; nil where the kernel allows no stage, which is printed.
    private func outcome() throws -> Outcome? {
        let outcome = try Self.play.get()
        guard let reason = outcome.skipped else { return outcome }
        print("transparent listeners aren't tested here: \(reason)")
        return nil
    }

    private func expect(_ expected: [String: Outcome.Result], in outcome: Outcome) {
        for (name, result) in expected { #expect(outcome.results?[name] == result, "\(name)\n\(outcome.log ?? "")") }
    }

    @Test("A-22 R-8 Host names a redirected request, the address where it is none's, and the address is dialled")
    func clear() throws {
        guard let outcome = try outcome() else { return }
        expect(
            [
                "named": .texts(["200 site site.test", "200 site site.test"]), "curl": .text("site site.test"),
                "curl6": .text("six six.test"), "address": .texts(["200 site 10.99.0.1"]),
                "nameless": .texts(["200 site 10.99.0.1"]), "absolute": .texts(["200 site site.test"]),
            ],
            in: outcome
        )
    }

    @Test("A-22 where our own resolution doesn't have the address, no credential of ours goes there")
    func doubtful() throws {
        guard let outcome = try outcome() else { return }
        expect(
            [
                "doubtful": .texts(["401 site other.test"]), "unknown": .texts(["401 site nowhere.invalid"]),
                "otherAddress": .texts(["401 site 10.99.0.9"]),
                "mixed": .texts(["200 site site.test", "401 site other.test", "200 site site.test"]),
                "openedDoubtful": .texts(["401 secure other.test"]),
            ],
            in: outcome
        )
        let strangers = ["other.test", "nowhere.invalid", "10.99.0.9"]
        for request in outcome.seen ?? [] where request.server != "other" && strangers.contains(request.host ?? "") {
            #expect(request.authorization == nil, "\(request)")
        }
        #expect(outcome.seen?.contains { $0.server == "other" } == false, "what the client calls it isn't dialled")
    }

    @Test("A-22 another port, a login in the target and a CONNECT are refused, and nothing leaves")
    func refused() throws {
        guard let outcome = try outcome() else { return }
        for (name, status) in [("otherPort", "421"), ("userinfo", "400"), ("connect", "400"), ("inner", "421")] {
            guard case .texts(let texts)? = outcome.results?[name] else {
                Issue.record("\(name): \(String(describing: outcome.results?[name]))")
                continue
            }
            #expect(texts.allSatisfy { $0.hasPrefix(status) }, "\(name) \(texts)")
        }
    }

    @Test("I-1 I-2 a redirected TLS connection is opened by its SNI, under a leaf for that name")
    func opened() throws {
        guard let outcome = try outcome() else { return }
        expect(
            [
                "opened": .texts(["200 secure site.test", "200 secure site.test"]),
                "openedCurl": .text("secure site.test"),
            ],
            in: outcome
        )
    }

    @Test("I-3 what isn't opened, or speaks otherwise, is joined to the address that it was going to")
    func tunnelled() throws {
        guard let outcome = try outcome() else { return }
        expect(
            [
                "tunnelled": .texts(["401 secure plain.test"]), "nameless TLS": .texts(["401 secure whatever.test"]),
                "mail": .text("220 ready\r\ngot hello\r\n"), "binary": .text("echo \u{1}\u{2}\u{3}"),
                "refused": .text("reset"),
            ],
            in: outcome
        )
        #expect(outcome.log?.contains("method=CONNECT target=10.99.0.1:2525 status=200") == true)
        #expect(outcome.log?.contains("method=CONNECT target=plain.test:443 status=200") == true)
    }

    @Test("H-13 a connection that nobody redirected is refused")
    func direct() throws {
        guard let outcome = try outcome() else { return }
        expect(["direct": .text("reset"), "unredirected": .text("reset")], in: outcome)
        #expect(outcome.log?.contains("proxy.loop") == true)
    }
}
