import Support
import Testing

@Suite struct UpgradeTests {
    private static let upgrade = ["Host: h", "Connection: Upgrade", "Upgrade: websocket"]
    private static let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "

    @Test("H-5b an upgrade to websocket is forwarded, and behind its 101 the connection is a tunnel")
    func websocket() throws {
        let origin = try ScriptedPeer { _ in [.send("\(Self.switching)websocket\r\n\r\nfirst"), .echo] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("GET \(origin.url)/ HTTP/1.1", Self.upgrade))
        let head = try client.receiveAnyHead()
        #expect(head.startLine.hasPrefix("HTTP/1.1 101 "))
        #expect(head["Upgrade"] == "websocket")
        #expect(head["Connection"]?.lowercased() == "upgrade")
        #expect(try client.receive(bytes: 5) == Array("first".utf8))
        try client.send("GET / \0\n")
        #expect(try client.receive(bytes: 8) == Array("GET / \0\n".utf8))
        let asked = try #require(origin.requests.first)
        #expect(asked["Upgrade"] == "websocket")
        #expect(asked["Connection"]?.lowercased() == "upgrade")
    }

    @Test("H-5b any other upgrade is removed with its connection option", arguments: ["h2c", "TLS/1.0", "websockets"])
    func otherToken(_ token: String) throws {
        let origin = try ScriptedPeer { _ in [.response(body: "plain")] }
        let proxy = try RunningProxy("")
        let lines = ["Host: h", "Connection: Upgrade, HTTP2-Settings", "Upgrade: \(token)", "HTTP2-Settings: x"]
        #expect(try proxy.connect().exchange(request("GET \(origin.url)/ HTTP/1.1", lines)).text == "plain")
        let head = try origin.waitForRequests(1)[0].head
        #expect(head["Upgrade"] == nil && head["Connection"] == nil && head["HTTP2-Settings"] == nil)
    }

    @Test("H-5b a request with a body is not upgraded")
    func withBody() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "plain")] }
        let proxy = try RunningProxy("")
        let text = request("GET \(origin.url)/ HTTP/1.1", Self.upgrade + ["Content-Length: 2"], body: "ab")
        #expect(try proxy.connect().exchange(text).text == "plain")
        #expect(try origin.waitForRequests(1)[0]["Upgrade"] == nil)
    }

    @Test("H-5b a 101 that was not asked for, or names another protocol, is 502", arguments: [true, false])
    func unexpected(_ isAsked: Bool) throws {
        let origin = try ScriptedPeer { _ in
            [.send("\(Self.switching)\(isAsked ? "h2c" : "websocket")\r\n\r\n"), .hang]
        }
        let proxy = try RunningProxy("")
        let lines = isAsked ? Self.upgrade : ["Host: h"]
        let response = try proxy.connect().exchange(request("GET \(origin.url)/ HTTP/1.1", lines))
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("http_") == true)
    }

    @Test("H-5b behind a refused upgrade it goes on as HTTP")
    func refused() throws {
        let origin = try ScriptedPeer { [.response($0.target == "/up" ? 400 : 200, body: $0.target)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        #expect(try client.exchange(request("GET \(origin.url)/up HTTP/1.1", Self.upgrade)).status == 400)
        #expect(try client.exchange(request("GET \(origin.url)/next HTTP/1.1", ["Host: h"])).text == "/next")
    }

    @Test("H-5b bytes behind a refused upgrade are no request")
    func refusedWithBytes() throws {
        let origin = try ScriptedPeer { [.response($0.target == "/up" ? 400 : 200, body: $0.target)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let behind = request("GET \(origin.url)/smuggled HTTP/1.1", ["Host: h"])
        try client.send(request("GET \(origin.url)/up HTTP/1.1", Self.upgrade) + behind)
        #expect(try client.receive().status == 400)
        _ = try client.waitForClose()
        #expect(origin.requests.map(\.target) == ["/up"])
    }
}
