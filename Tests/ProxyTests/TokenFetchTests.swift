import Authentication
import Bytes
import Crypto
import Events
import Exchange
import Rules
import Support
import Testing
import Trust

@testable import Proxy

/// Tokens as the lane fetches them from an endpoint.
struct TokenFetchTests {
    private let fixture: SecretLaneFixture

    init() throws { fixture = try SecretLaneFixture() }

    private func credential(_ endpoint: ScriptedPeer, secret: String = "s3cret") -> Credential {
        let client = OAuth2Credential(
            tokenEndpoint: "http://127.0.0.1:\(endpoint.port)/token",
            clientID: Secret("orders"),
            clientSecret: Secret(secret)
        )
        return Credential(name: "crm", kind: .deferred(.oauth2(client)))
    }

    /// An endpoint whose tokens are `t0`, `t1`, …
    private func rotating(
        _ more: String = #","expires_in":3600"#,
        after steps: [ScriptedPeer.Step] = []
    ) throws
        -> ScriptedPeer
    {
        try ScriptedPeer { request in
            let token = #"{"access_token":"t\#(request.connection)","token_type":"Bearer"\#(more)}"#
            return steps + [.response(body: token)]
        }
    }

    @Test("A-24 500 who ask at the same time make one token request, and later ones none")
    func singleFlight() throws {
        let endpoint = try rotating(after: [.pause(.milliseconds(300))])
        let credential = credential(endpoint)
        let policy = fixture.policy(credential)
        let answers = Locked<[String]>([])
        for _ in 0..<500 {
            fixture.lane.fetch(fixture.question(credential), under: policy, now: LedgerProcess.now) { answer in
                answers.withLock { $0.append(answer.text) }
            }
        }
        try eventually("500 answers") { answers.withLock { $0.count } == 500 }
        #expect(Set(answers.withLock { $0 }) == ["t0"])
        let first = try fixture.ask(fixture.question(credential), policy)
        let second = try fixture.ask(fixture.question(credential), policy)
        #expect(first.credential === second.credential && first.credential?.key != nil)
        #expect(first.credential?.source === credential)
        #expect(endpoint.requests.count == 1)
        let request = try #require(endpoint.requests.first)
        #expect(request.method == "POST" && request.target == "/token")
        #expect(String(decoding: request.body.bytes, as: UTF8.self) == "grant_type=client_credentials")
    }

    @Test("A-24 a token of one second serves all who wait, and the next one is asked for when it ends")
    func oneSecond() throws {
        let endpoint = try rotating(#","expires_in":"1""#, after: [.pause(.milliseconds(1200))])
        let credential = credential(endpoint)
        let policy = fixture.policy(credential)
        #expect(try fixture.ask(fixture.question(credential), policy).text == "t0")
        // Its second was over when it came.
        #expect(try fixture.ask(fixture.question(credential), policy).text == "t1")
        #expect(endpoint.requests.count == 2)
    }

    @Test(
        "A-24 4xx is not tried again, and stands for whoever asks next; no secret in the response is told"
    )
    func refused() throws {
        let body = #"{"error":"invalid_client","error_description":"wrong s3cret"}"#
        let endpoint = try ScriptedPeer { _ in [.response(401, body: body)] }
        let credential = credential(endpoint)
        let policy = fixture.policy(credential)
        for _ in 0..<5 {
            let answer = try fixture.ask(fixture.question(credential), policy)
            #expect(answer.text == "token.refused")
            #expect(answer.explanation == "The token endpoint of the credential 'crm' answered 401 (invalid_client).")
        }
        #expect(endpoint.requests.count == 1)
    }

    @Test("A-24 a changed secret is tried at once, an unchanged one keeps what was fetched over a reload")
    func reload() throws {
        let endpoint = try ScriptedPeer { request in
            // `printf orders:right | base64`
            let isRight = request["Authorization"] == "Basic b3JkZXJzOnJpZ2h0"
            return [isRight ? .response(body: #"{"access_token":"t","token_type":"bearer"}"#) : .response(400)]
        }
        let wrong = credential(endpoint, secret: "wrong")
        let first = fixture.policy(wrong)
        #expect(try fixture.ask(fixture.question(wrong), first).text == "token.refused")
        let right = credential(endpoint, secret: "right")
        let second = fixture.policy(right)
        fixture.lane.adopt(second)
        let fetched = try fixture.ask(fixture.question(right), second)
        #expect(fetched.text == "t")
        let same = credential(endpoint, secret: "right")
        let third = fixture.policy(same)
        fixture.lane.adopt(third)
        #expect(try fixture.ask(fixture.question(same), third).credential === fetched.credential)
        #expect(endpoint.requests.count == 2)
    }

    @Test("A-24 5xx and broken connections are tried again, and Retry-After is waited for")
    func passing() throws {
        let endpoint = try ScriptedPeer { request in
            switch request.connection {
            case 0: [.reset]
            case 1: [.response(503, ["Retry-After: 2"])]
            default: [.response(body: #"{"access_token":"t","token_type":"Bearer"}"#)]
            }
        }
        let credential = credential(endpoint)
        let begin = ContinuousClock.now
        #expect(try fixture.ask(fixture.question(credential), fixture.policy(credential)).text == "t")
        #expect(endpoint.requests.count == 3)
        #expect(ContinuousClock.now - begin >= .milliseconds(2400))
    }

    @Test("A-24 an endpoint that stays down is given up after three attempts, and left alone for a while")
    func down() throws {
        let endpoint = try ScriptedPeer { _ in [.response(500, body: "s3cret")] }
        let credential = credential(endpoint)
        let policy = fixture.policy(credential)
        #expect(try fixture.ask(fixture.question(credential), policy).text == "token.endpoint-failed")
        #expect(try fixture.ask(fixture.question(credential), policy).text == "token.endpoint-failed")
        #expect(endpoint.requests.count == 3)
        endpoint.stop()
    }

    @Test("A-24 where nobody listens the endpoint is told as unreachable")
    func unreachable() throws {
        let port = try FreePort.reserve()
        let client = OAuth2Credential(
            tokenEndpoint: "http://127.0.0.1:\(port)/",
            clientID: Secret("orders"),
            clientSecret: nil
        )
        let credential = Credential(name: "crm", kind: .deferred(.oauth2(client)))
        let answer = try fixture.ask(fixture.question(credential), fixture.policy(credential))
        #expect(answer.text == "token.endpoint-unreachable")
    }

    private static let tooLong =
        String(repeating: " ", count: 1 << 20) + #"{"access_token":"t","token_type":"Bearer"}"#

    @Test(
        "A-24 a response that is none gives no token and is told as such",
        arguments: [
            [.response(302, ["Location: /elsewhere"])], [.response(body: "<html>s3cret</html>")],
            [.send("SSH-2.0-OpenSSH\r\n\r\n")], [.response(body: tooLong)],
        ] as [[ScriptedPeer.Step]]
    )
    func malformed(_ steps: [ScriptedPeer.Step]) throws {
        let endpoint = try ScriptedPeer { _ in steps }
        let credential = credential(endpoint)
        let answer = try fixture.ask(fixture.question(credential), fixture.policy(credential))
        #expect(answer.text == "token.response-malformed")
        #expect(answer.explanation?.contains("s3cret") == false)
        #expect(endpoint.requests.count == 1)
    }

    @Test("A-10 a refused token is fetched once more, whoever's exchange says so first")
    func refusedToken() throws {
        let endpoint = try rotating()
        let credential = credential(endpoint)
        let policy = fixture.policy(credential)
        let first = try #require(try fixture.ask(fixture.question(credential), policy).credential)
        for _ in 0..<3 {
            let next = try fixture.ask(fixture.question(credential, refused: first), policy)
            #expect(next.text == "t1")
        }
        #expect(try fixture.ask(fixture.question(credential), policy).text == "t1")
        #expect(endpoint.requests.count == 2)
    }

    @Test("A-10 an endpoint that gives the same token again gives the same credential")
    func sameToken() throws {
        let endpoint = try ScriptedPeer { _ in [.response(body: #"{"access_token":"t","token_type":"Bearer"}"#)] }
        let credential = credential(endpoint)
        let policy = fixture.policy(credential)
        let first = try #require(try fixture.ask(fixture.question(credential), policy).credential)
        let next = try fixture.ask(fixture.question(credential, refused: first), policy)
        #expect(next.credential === first)
        #expect(endpoint.requests.count == 2)
    }

    @Test("A-24 who waits when the proxy ends is told")
    func ending() throws {
        let endpoint = try ScriptedPeer { _ in [.hang] }
        let credential = credential(endpoint)
        let policy = fixture.policy(credential)
        let answer = Locked<SecretAnswer?>(nil)
        fixture.lane.fetch(fixture.question(credential), under: policy, now: LedgerProcess.now) { told in
            answer.withLock { $0 = told }
        }
        try endpoint.waitForRequests(1)
        fixture.lane.stop()
        #expect(answer.withLock { $0 }?.text == "secret.unavailable")
        #expect(try fixture.ask(fixture.question(credential), policy).text == "secret.unavailable")
    }
}
