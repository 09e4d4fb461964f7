import Support
import Testing

@Suite struct MalformedRequestTests {
    @Test("H-4 a malformed request gets its status, nothing of it is a request upstream, the next connection works")
    func refused() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy("")
        let next = request("GET \(origin.url)/next HTTP/1.1", ["Host: h", "Connection: close"])
        for message in MalformedRequests.all(authority: origin.authority) {
            let client = try proxy.connect()
            try client.send(message.bytes)
            let response = try client.receive()
            #expect(response.status == message.status, "\(message.name)")
            #expect(response["Proxy-Status"]?.contains("details=\"\(message.reason):") == true, "\(message.name)")
            #expect(response["Connection"] == "close", "\(message.name)")
            client.close()
            #expect(origin.requests.isEmpty, "\(message.name)")
            if message.part == .head { #expect(origin.openConnectionCount == 0, "\(message.name)") }
            #expect(try proxy.connect().exchange(next).text == "/next", "\(message.name)")
            origin.forget()
            try eventually("the origin's connections to end behind \(message.name)") {
                origin.closeConnections()
                return origin.openConnectionCount == 0
            }
        }
        #expect(proxy.process.isRunning)
    }

    @Test("H-4 what a malformed request smuggles behind itself reaches nobody")
    func smuggled() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy("")
        let behind = request("GET \(origin.url)/smuggled HTTP/1.1", ["Host: \(origin.authority)"])
        for lines in [
            ["Content-Length: 5", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked", "Content-Length: 0"],
            ["Content-Length: 0", "Content-Length: 5"], ["Transfer-Encoding: xchunked"], ["Content-Length : 0"],
        ] {
            let client = try proxy.connect()
            try client.send(request("POST \(origin.url)/ HTTP/1.1", ["Host: h"] + lines, body: "0\r\n\r\n\(behind)"))
            #expect([400, 501].contains(try client.receive().status), "\(lines)")
            client.close()
        }
        #expect(try proxy.get("\(origin.url)/next").text == "/next")
        #expect(origin.requests.map(\.target) == ["/next"])
    }

    @Test("H-4 inside an unopened CONNECT a malformed request passes as the bytes that it is")
    func inTunnel() throws {
        let origin = try ScriptedPeer { [.response(body: $0.target)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let connect = request("CONNECT \(origin.authority) HTTP/1.1", ["Host: \(origin.authority)"])
        #expect(try client.exchange(connect).status == 200)
        let bytes = Array("GET /a HTTP/1.1\nHost : x\nConnection: y\n\n".utf8)
        try client.send(bytes)
        #expect(try client.receive().text == "/a")
        #expect(origin.transcript(of: 0) == bytes)
    }
}
