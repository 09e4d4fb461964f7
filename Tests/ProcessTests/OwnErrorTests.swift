import Support
import Testing

@Suite struct OwnErrorTests {
    @Test("H-9 an error of the proxy's own has Proxy-Status with a registered type and a reason, and a short text")
    func unreachable() throws {
        let port = try FreePort.reserve()
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let response = try client.exchange(request("GET http://127.0.0.1:\(port)/ HTTP/1.1", ["Host: h"]))
        #expect(response.status == 502)
        let status = try #require(response["Proxy-Status"])
        #expect(status.contains("; error=connection_refused"))
        #expect(status.contains("; details=\"route.unreachable: "))
        #expect(response["Content-Type"]?.hasPrefix("text/plain") == true)
        #expect(response.text.contains("route.unreachable"))
        #expect(response.body.count < 500)
        #expect(response["Date"] != nil)
        // The connection goes on.
        #expect(try client.exchange(request("GET http://127.0.0.1:\(port)/ HTTP/1.1", ["Host: h"])).status == 502)
    }

    @Test("H-9 a name that does not resolve is told as dns_error")
    func unresolved() throws {
        let proxy = try RunningProxy("timeouts: { dns: 10s }")
        let response = try proxy.get("http://no-such-name.invalid/")
        #expect(response.status == 502 || response.status == 504)
        #expect(response["Proxy-Status"]?.contains("error=dns_") == true)
    }

    @Test("H-9 a server that does not answer in time is 504")
    func late() throws {
        let origin = try ScriptedPeer { _ in [.hang] }
        let proxy = try RunningProxy("timeouts: { response_head: 1s }")
        let response = try proxy.get("\(origin.url)/")
        #expect(response.status == 504)
        #expect(response["Proxy-Status"]?.contains("error=http_response_timeout") == true)
    }

    @Test("H-9 a client that does not send its head in time is 408")
    func slowHead() throws {
        let proxy = try RunningProxy("timeouts: { request_head: 1s }")
        let client = try proxy.connect()
        try client.send("GET http://a.test/ HTTP/1.1\r\nHo")
        #expect(try client.receive().status == 408)
        _ = try client.waitForClose()
    }

    @Test("H-9 a Proxy-Status that an upstream sent is kept")
    func kept() throws {
        let origin = try ScriptedPeer { _ in [.response(503, ["Proxy-Status: far; error=dns_timeout"])] }
        let proxy = try RunningProxy("")
        let response = try proxy.get("\(origin.url)/")
        #expect(response.status == 503)
        #expect(response.values("Proxy-Status").first == "far; error=dns_timeout")
    }

    @Test("H-9 HEAD gets the head of an error alone")
    func head() throws {
        let port = try FreePort.reserve()
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        #expect(try client.exchange(request("HEAD http://127.0.0.1:\(port)/ HTTP/1.1", ["Host: h"])).status == 502)
        #expect(try client.exchange(request("HEAD http://127.0.0.1:\(port)/ HTTP/1.1", ["Host: h"])).status == 502)
    }

    @Test("H-9 a client whose body stays away in the middle of the response gets that cut short, and no 408 within it")
    func slowBody() throws {
        let origin = try ScriptedPeer(
            beforeBody: { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nhello")] },
            answer: { _ in [] }
        )
        let proxy = try RunningProxy("timeouts: { request_body: 1s }")
        let client = try proxy.connect()
        let text = request("POST \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 1000"], body: "12345")
        try client.send(text)
        #expect(try client.receiveHead().head.startLine.contains(" 200 "))
        #expect(try client.receive(bytes: 5) == Array("hello".utf8))
        #expect(try client.waitForClose() == .reset)
        try eventually("the attempt to end") { origin.openConnectionCount == 0 }
        try proxy.waitForLog("request.timeout")
    }

    @Test("H-6 a response that comes before the body was read promises no further request", arguments: [false, true])
    func early(_ expects: Bool) throws {
        let origin = try ScriptedPeer(beforeBody: { _ in [.response(413, body: "no")] }, answer: { _ in [.close] })
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let lines = ["Host: h", "Content-Length: 100000"] + (expects ? ["Expect: 100-continue"] : [])
        try client.send(request("POST \(origin.url)/ HTTP/1.1", lines, body: expects ? "" : "12345"))
        let response = try client.receive()
        #expect(response.status == 413)
        #expect(response.text == "no")
        #expect(response["Connection"] == "close")
        #expect(response.interim.isEmpty)
        _ = try client.waitForClose()
    }
}
