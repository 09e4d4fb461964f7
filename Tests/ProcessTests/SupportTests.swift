import Support
import Testing

/// The tools of the tests, tried on each other.
@Suite struct SupportTests {
    @Test func `the digests are those of the standards`() {
        #expect(Digest.md5("") == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Digest.md5("message digest") == "f96b697d7cb7938d525a2f31aaf161d0")
        let digits = String(repeating: "1234567890", count: 8)
        #expect(Digest.md5(digits) == "57edf4a22be3c955ac49da2e2107b67a")
        #expect(Digest.sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(Digest.sha256(two) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test func `a scripted peer answers in turn and keeps what it was asked`() throws {
        let peer = try ScriptedPeer { request in
            request["Authorization"] == nil
                ? [.unauthorized("Basic realm=\"x\"", "Digest")] : [.response(body: "hello")]
        }
        let client = try HTTPClient(port: peer.port)
        let refused = try client.exchange("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        #expect(refused.status == 401)
        #expect(refused.values("www-authenticate") == ["Basic realm=\"x\"", "Digest"])
        let chunked = "POST /b HTTP/1.1\r\nHost: h\r\nAuthorization: y\r\nTransfer-Encoding: chunked\r\n\r\n"
        let accepted = try client.exchange(chunked + "3;x=1\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n")
        #expect(accepted.text == "hello")
        let requests = try peer.waitForRequests(2)
        #expect(requests.map(\.method) == ["POST", "POST"])
        #expect(requests.map(\.target) == ["/a", "/b"])
        #expect(requests.map(\.index) == [0, 1])
        #expect(requests[1].body.bytes == Array("abcde".utf8))
        #expect(requests[1].body.trailers == ["T: u"])
        #expect(requests[1].body.fingerprint == MessageBody.fingerprint(of: Array("abcde".utf8)))
        #expect(peer.connectionCount == 1)
        #expect(peer.transcript(of: 0).starts(with: Array("POST /a".utf8)))
    }

    @Test func `a scripted peer can answer before the body, send 100, close, reset and stay silent`() throws {
        let peer = try ScriptedPeer(
            beforeBody: {
                $0.target == "/early" ? [.response(413), .close] : [.send("HTTP/1.1 100 Continue\r\n\r\n")]
            },
            answer: { request in
                switch request.target {
                case "/reset": [.send("HTTP/1.1 200"), .pause(.milliseconds(50)), .reset]
                case "/hang": [.hang]
                case "/close": [.close]
                default: [.response()]
                }
            }
        )
        func ask(_ target: String) throws -> HTTPClient {
            let client = try HTTPClient(port: peer.port)
            try client.send(
                "PUT \(target) HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n\(target == "/early" ? "" : "x")"
            )
            return client
        }
        #expect(try ask("/early").receive().status == 413)
        #expect(try ask("/").receive().interim.map(\.startLine) == ["HTTP/1.1 100 Continue"])
        let closed = try ask("/close")
        _ = try closed.receiveAnyHead()
        #expect(try closed.waitForClose() == .endOfStream)
        let reset = try ask("/reset")
        _ = try reset.receiveAnyHead()
        _ = try reset.receive(bytes: 12)
        #expect(try reset.waitForClose() == .reset)
        let hung = try ask("/hang")
        _ = try hung.receiveAnyHead()
        #expect(try hung.isSilent(for: .milliseconds(100)))
    }

    @Test func `a pattern arrives whole through a tunnel and a small receive buffer`() throws {
        let size = 300_000
        let origin = try ScriptedPeer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .sendPattern(size)]
        }
        let parent = try ScriptedPeer { [port = origin.port] request in
            request.method == "CONNECT" ? [.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(to: port)] : [.close]
        }
        let client = try HTTPClient(port: parent.port, receiveBuffer: 32_768)
        #expect(try client.exchange("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n").status == 200)
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try client.receiveHead()
        let fingerprint = try client.discard(bytes: size, pausing: .microseconds(10))
        #expect(fingerprint == MessageBody.fingerprint(of: ScriptedPeer.pattern(0..<size)))
    }

    @Test func `a hundred clients at once are all answered`() throws {
        let peer = try ScriptedPeer { [.response(body: $0.target)] }
        let port = peer.port
        let bodies = try concurrently(100) { index in
            let client = try HTTPClient(port: port)
            return try client.exchange("GET /\(index) HTTP/1.1\r\nHost: h\r\n\r\n").text
        }
        #expect(bodies == (0..<100).map { "/\($0)" })
        #expect(peer.requests.count == 100)
        #expect(peer.connectionCount == 100)
    }

    @Test func `a wait that is not met says what it waited for`() throws {
        #expect(throws: TestFailure.self) { try eventually("the moon", within: .milliseconds(20)) { false } }
        let peer = try ScriptedPeer { _ in [.hang] }
        let client = try HTTPClient(port: peer.port, limit: .milliseconds(50))
        let failure = #expect(throws: TestFailure.self) { try client.exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        #expect(failure?.description.contains("a head; so far there are 0 bytes") == true)
        #expect(throws: TestFailure.self) { try HTTPClient(port: FreePort.reserve()) }
    }

    @Test func `a process gives its output, its status and its signal, and ends with its owner`() throws {
        let shell = try TestProcess(
            "sh",
            ["-c", "cat; echo $GREETING; echo no >&2; exit 3"],
            environment: ["GREETING": "hi"],
            input: "in\n"
        )
        #expect(try shell.waitForExit() == .status(3))
        #expect(shell.output == "in\nhi\n")
        #expect(shell.errors == "no\n")
        let stubborn = try TestProcess("sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 1; done"])
        try eventually("ready") { stubborn.output == "ready\n" }
        #expect(try stubborn.memory() > 100)
        #expect(stubborn.descriptorCount >= 3)
        #expect(stubborn.stop(within: .milliseconds(100)) == .signal(9))
        #expect(throws: TestFailure.self) { try TestProcess("no-such-program") }
    }

    @Test func `ports are handed out once`() throws {
        let ports = try (0..<50).map { _ in try FreePort.reserve() }
        #expect(Set(ports).count == 50)
    }
}
