import Support
import Testing

@Suite struct ConnectionReuseTests {
    @Test("H-6 a connection is kept on both sides")
    func kept() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy("", workers: 1)
        for round in 0..<3 {
            let client = try proxy.connect()
            for index in 0..<3 {
                let text = request("GET \(origin.url)/\(round)/\(index) HTTP/1.1", ["Host: h"])
                #expect(try client.exchange(text).text == "/\(round)/\(index)")
            }
            client.close()
        }
        #expect(origin.connectionCount == 1)
        #expect(origin.requests.count == 9)
    }

    @Test("H-6 a client that asks for it has its connection closed", arguments: ["HTTP/1.1", "HTTP/1.0"])
    func closed(_ version: String) throws {
        let origin = try ScriptedPeer { _ in [.response(body: "x")] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let lines = version == "HTTP/1.1" ? ["Host: h", "Connection: close"] : []
        let response = try client.exchange(request("GET \(origin.url)/ \(version)", lines))
        #expect(response["Connection"] == "close")
        #expect(try client.waitForClose() == .endOfStream)
    }

    @Test("H-6 a pooled connection that has ended is not used", arguments: ["GET", "POST"])
    func ended(_ method: String) throws {
        let origin = try ScriptedPeer { [.response(body: $0.target), .close] }
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect()
        for index in 0..<3 {
            let text = request(
                "\(method) \(origin.url)/\(index) HTTP/1.1",
                ["Host: h", "Content-Length: 1"],
                body: "x"
            )
            #expect(try client.exchange(text).text == "/\(index)")
            try eventually("the origin to close") { origin.openConnectionCount == 0 }
        }
        #expect(origin.requests.map(\.connection) == [0, 1, 2])
    }

    /// An origin that closes its first connection in place of a second response.
    private func dropper() throws -> ScriptedPeer {
        try ScriptedPeer { $0.connection == 0 && $0.index == 1 ? [.close] : [.response(body: $0.target)] }
    }

    @Test(
        "H-6 an idempotent request that a reused connection loses is sent once more",
        arguments: ["GET", "PUT", "DELETE"]
    )
    func repeated(_ method: String) throws {
        let origin = try dropper()
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect()
        #expect(try client.exchange(request("GET \(origin.url)/0 HTTP/1.1", ["Host: h"])).text == "/0")
        let text = request("\(method) \(origin.url)/1 HTTP/1.1", ["Host: h", "Content-Length: 4"], body: "body")
        #expect(try client.exchange(text).text == "/1")
        let requests = try origin.waitForRequests(3)
        #expect(requests.map(\.connection) == [0, 0, 1])
        #expect(requests.dropFirst().map(\.body.bytes) == [Array("body".utf8), Array("body".utf8)])
    }

    @Test("H-6 one that may not be repeated is 502 when a reused connection loses it")
    func notRepeated() throws {
        let origin = try dropper()
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect()
        #expect(try client.exchange(request("GET \(origin.url)/0 HTTP/1.1", ["Host: h"])).text == "/0")
        let text = request("POST \(origin.url)/1 HTTP/1.1", ["Host: h", "Content-Length: 4"], body: "body")
        let response = try client.exchange(text)
        // On a slow machine over 1 s may have passed, and then it has a fresh connection.
        if response.status == 200 {
            #expect(origin.requests.map(\.connection) == [0, 1])
        } else {
            #expect(response.status == 502)
            #expect(origin.requests.count == 2)
        }
    }

    @Test("H-6 one that may not be repeated prefers a fresh connection to one that idled for over a second")
    func prefersFresh() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect()
        #expect(try client.exchange(request("GET \(origin.url)/0 HTTP/1.1", ["Host: h"])).text == "/0")
        pause(.milliseconds(1300))
        let text = request("POST \(origin.url)/1 HTTP/1.1", ["Host: h", "Content-Length: 4"], body: "body")
        #expect(try client.exchange(text).text == "/1")
        #expect(origin.requests.map(\.connection) == [0, 1])
    }

    @Test("H-6 a request that a fresh connection loses is 502 and not sent again")
    func freshLost() throws {
        let origin = try ScriptedPeer { $0.target == "/lost" ? [.close] : [.response(body: "ok")] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let response = try client.exchange(request("GET \(origin.url)/lost HTTP/1.1", ["Host: h"]))
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("response.closed") == true)
        #expect(origin.requests.count == 1)
        #expect(try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"])).text == "ok")
    }

    @Test("H-6 one that may not be repeated is sent again if nothing of it was sent")
    func nothingSent() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect()
        #expect(try client.exchange(request("GET \(origin.url)/0 HTTP/1.1", ["Host: h"])).text == "/0")
        // While the proxy stands still the request comes first and the pooled connection breaks behind it, so it is
        // leased before its end is seen.
        try proxy.process.standingStill {
            try client.send(request("POST \(origin.url)/1 HTTP/1.1", ["Host: h", "Content-Length: 4"], body: "body"))
            origin.resetConnections()
            try eventually("the origin's connection to end") { origin.openConnectionCount == 0 }
        }
        let response = try client.receive()
        #expect(response.status == 200)
        #expect(response.text == "/1")
        #expect(origin.requests.map(\.connection) == [0, 1])
        #expect(origin.requests.last?.body.text == "body")
    }

    /// A Digest origin that closes its first connection in place of answering a count of 2, and takes higher counts if
    /// it `takesGaps`.
    private func digestDropper(takesGaps: Bool) throws -> ScriptedPeer {
        try ScriptedPeer { request in
            guard let value = request["Authorization"] else {
                return [.unauthorized(#"Digest realm="Staff", qop="auth", nonce="first""#)]
            }
            switch (parameter("nonce", of: value), parameter("nc", of: value)) {
            case ("first", "00000001"): return [.response(body: "1")]
            case ("first", "00000002"): return [.close]
            case ("first", let count) where takesGaps: return [.response(body: count)]
            case ("second", let count): return [.response(body: "second \(count)")]
            default: return [.unauthorized(#"Digest realm="Staff", qop="auth", nonce="second""#)]
            }
        }
    }

    @Test("H-6 a repeated Digest request takes a new count", arguments: [true, false])
    func repeatedDigest(_ takesGaps: Bool) throws {
        let origin = try digestDropper(takesGaps: takesGaps)
        let proxy = try RunningProxy(Demand.anyPort, workers: 1, files: ["secret": "right"])
        let client = try proxy.connect()
        let text = request("GET \(origin.url)/ HTTP/1.1", ["Host: h"])
        #expect(try client.exchange(text).text == "1")
        let response = try client.exchange(text)
        #expect(response.status == 200)
        // A server that knows nothing of the lost count refuses the gap: no rejection, its fresh challenge is answered.
        #expect(response.text == (takesGaps ? "00000003" : "second 00000001"))
        let counts = origin.requests.compactMap { $0["Authorization"] }.map {
            "\(parameter("nonce", of: $0)) \(parameter("nc", of: $0))"
        }
        let expected = ["first 00000001", "first 00000002", "first 00000003"] + (takesGaps ? [] : ["second 00000001"])
        #expect(counts == expected)
        #expect(origin.requests.map(\.connection) == [0, 0, 0, 1] + (takesGaps ? [] : [1]))
        #expect(try client.exchange(text).status == 200)
    }
}
