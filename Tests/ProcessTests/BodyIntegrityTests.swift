import Support
import Testing

/// Digest with qop auth-int, whose answer covers the body.
@Suite struct BodyIntegrityTests {
    private static let rules = """
        credentials: { login: { username: user, password: { value: passwd } } }
        rules: [ { space: { host: 127.0.0.1, port: any }, use: login } ]

        """

    /// What a response must be by RFC 7616 section 3.4.1, computed from the request as the peer got it.
    private static func isRight(
        _ value: String,
        _ method: String,
        _ target: String,
        _ hash: (String) -> String,
        _ bodyHash: String
    ) -> Bool {
        guard parameter("qop", of: value) == "auth-int", parameter("uri", of: value) == target else { return false }
        let parts = [
            hash("user:Staff:passwd"), "n0nce", parameter("nc", of: value), parameter("cnonce", of: value), "auth-int",
            hash("\(method):\(target):\(bodyHash)"),
        ]
        return parameter("response", of: value) == hash(parts.joined(separator: ":"))
    }

    private static func isRight(
        _ request: ScriptedPeer.Request,
        _ hash: (String) -> String,
        _ bodyHash: String
    ) -> Bool {
        isRight(request["Authorization"] ?? "", request.method, request.target, hash, bodyHash)
    }

    /// An origin that refuses at the head, before it has asked for the body, and takes a right answer only.
    private static func origin(_ challenges: [String], sha256: Bool = false) throws -> ScriptedPeer {
        try ScriptedPeer { request in
            if request["Authorization"] == nil { return refusal(challenges) }
            return request["Expect"] == nil ? [] : [.send("HTTP/1.1 100 Continue\r\n\r\n")]
        } answer: { request in
            if (request["Authorization"] ?? "").hasPrefix("Basic ") { return [.response(body: "basic")] }
            let isIn =
                sha256
                ? isRight(request, { Digest.sha256($0) }, Digest.sha256(request.body.bytes))
                : isRight(request, { Digest.md5($0) }, Digest.md5(request.body.bytes))
            return [isIn ? .response(body: "\(request.body.fingerprint)") : .response(403)]
        }
    }

    private static func refusal(_ challenges: [String]) -> [ScriptedPeer.Step] {
        [.response(401, challenges.map { "WWW-Authenticate: \($0)" } + ["Connection: close"]), .close]
    }

    @Test(
        "A-4 auth-int that is offered alone covers the whole body, which is read before the answer goes",
        arguments: [10, 70_000, 300_000],
        [false, true]
    )
    func whole(_ size: Int, _ isChunked: Bool) throws {
        let algorithm = size == 70_000 ? ", algorithm=SHA-256" : ""
        let challenge = "Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth-int\"" + algorithm
        let origin = try Self.origin([challenge], sha256: size == 70_000)
        let proxy = try RunningProxy(Self.rules)
        let client = try proxy.connect()
        let body = ScriptedPeer.pattern(0..<size)
        let line = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(size)"
        try client.send(request("POST \(origin.url)/a?b=c HTTP/1.1", ["Host: h", line]))
        if isChunked { try client.send("\(String(size, radix: 16))\r\n") }
        try client.send(Array(body.dropLast(5)))
        try eventually("the challenge") { origin.connectionCount == 1 && origin.openConnectionCount == 0 }
        pause(.milliseconds(300))
        #expect(origin.connectionCount == 1)
        try client.send(Array(body.suffix(5)))
        if isChunked { try client.send("\r\n0\r\n\r\n") }
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.text == "\(MessageBody.fingerprint(of: body))")
        #expect(origin.faults == [])
        #expect(origin.connectionCount == 2)
    }

    @Test("A-4 auth where it is offered beside auth-int")
    func authFirst() throws {
        let origin = try Self.origin(["Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth-int,auth\""])
        let proxy = try RunningProxy(Self.rules)
        _ = try proxy.connect().exchange(
            request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 3"], body: "abc")
        )
        #expect(parameter("qop", of: try #require(origin.requests.last?["Authorization"])) == "auth")
    }

    @Test("A-4 auth-int over an empty body hashes the empty body", arguments: ["GET", "POST"])
    func empty(_ method: String) throws {
        let origin = try Self.origin(["Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth-int\""])
        let proxy = try RunningProxy(Self.rules)
        let text = request("\(method) \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 0"])
        #expect(try proxy.connect().exchange(text).status == 200)
    }

    @Test("A-4 a space of auth-int alone takes each body by its own hash, the second one too")
    func again() throws {
        let origin = try ScriptedPeer { request in
            if request["Authorization"] == nil {
                return [.unauthorized("Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth-int\"")]
            }
            let isIn = Self.isRight(request, { Digest.md5($0) }, Digest.md5(request.body.bytes))
            return [isIn ? .response() : .response(403)]
        }
        let proxy = try RunningProxy(Self.rules, workers: 1)
        let client = try proxy.connect()
        for body in ["one", "another", ""] {
            let lines = ["Host: h", "Content-Length: \(body.utf8.count)"]
            #expect(try client.exchange(request("POST \(origin.url)/ HTTP/1.1", lines, body: body)).status == 200)
        }
        // What has no body goes ahead at once.
        #expect(origin.requests.last?.body.count == 0 && origin.requests.count == 5)
    }

    @Test("B-5 a client that waits for 100 gets it when its body is wanted for the hash", .timeLimit(.minutes(1)))
    func expectation() throws {
        let origin = try Self.origin([Self.integrity])
        let proxy = try RunningProxy(Self.rules)
        let client = try proxy.connect()
        let lines = ["Host: h", "Content-Length: 5", "Expect: 100-continue"]
        try client.send(request("POST \(origin.url)/ HTTP/1.1", lines))
        #expect(try client.receiveAnyHead().startLine.hasPrefix("HTTP/1.1 100 "))
        try client.send("hello")
        let (head, interim) = try client.receiveHead()
        #expect(head.startLine.contains(" 200 ") && interim.isEmpty)
        #expect(origin.requests.last?.body.text == "hello")
    }

    private static let small = "limits: { replay_memory: 1KiB, replay_disk: 64KiB }"
    private static let integrity = "Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth-int\""

    @Test("A-4 auth-int over replay_disk is passed over, and the next offer is answered")
    func tooLarge() throws {
        let origin = try Self.origin([Self.integrity, "Basic realm=\"Staff\""])
        let proxy = try RunningProxy(Self.rules + Self.small)
        let body = String(repeating: "a", count: 200_000)
        let lines = ["Host: h", "Content-Length: 200000"]
        let response = try proxy.connect().exchange(request("POST \(origin.url)/ HTTP/1.1", lines, body: body))
        #expect(response.text == "basic")
        #expect(origin.requests.last?.body.count == 200_000)
    }

    @Test("A-4 auth-int over replay_disk without another offer is told", arguments: [false, true])
    func tooLargeAlone(_ isChunked: Bool) throws {
        let origin = try Self.origin([Self.integrity])
        let proxy = try RunningProxy(Self.rules + Self.small)
        let client = try proxy.connect()
        let body = String(repeating: "a", count: 200_000)
        let line = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 200000"
        try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h", line]))
        try client.send(isChunked ? "30d40\r\n\(body)\r\n0\r\n\r\n" : body)
        let response = try client.receive()
        #expect(response.status == 401)
        #expect(response["WWW-Authenticate"] == Self.integrity)
        #expect(reason(of: response) == "body.not-kept")
        #expect(origin.requests.isEmpty)
    }

    @Test("A-4 where origin and parent both ask for auth-int, each gets the body by its own algorithm")
    func bothSides() throws {
        let digest = "Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth-int\""
        let parent = try ScriptedPeer { request in
            guard let proxyValue = request["Proxy-Authorization"] else { return [.proxyAuthenticationRequired(digest)] }
            guard let value = request["Authorization"] else { return [.unauthorized(digest + ", algorithm=SHA-256")] }
            let (body, target) = (request.body.bytes, request.target)
            let isIn =
                Self.isRight(proxyValue, "POST", target, { Digest.md5($0) }, Digest.md5(body))
                && Self.isRight(value, "POST", "/a", { Digest.sha256($0) }, Digest.sha256(body))
            return [isIn ? .response() : .response(403)]
        }
        let proxy = try RunningProxy(
            """
            credentials: { login: { username: user, password: { value: passwd } } }
            rules: [ { space: { host: a.example }, use: login } ]
            proxies: { corp: { url: "http://127.0.0.1:\(parent.port)", use: login } }
            routes: [ { host: "*", via: corp } ]
            """
        )
        let lines = ["Host: a.example", "Content-Length: 3"]
        let text = request("POST http://a.example/a HTTP/1.1", lines, body: "abc")
        #expect(try proxy.connect().exchange(text).status == 200)
        #expect(parent.requests.count == 3)
    }
}
