import Support
import Testing

@Suite struct InterimResponseTests {
    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: x\r\n\r\n"

    @Test("H-5 interim responses are passed on to a client of HTTP/1.1")
    func passedOn() throws {
        let origin = try ScriptedPeer { _ in [.send(Self.hints), .send(Self.hints), .response(body: "end")] }
        let proxy = try RunningProxy("")
        let response = try proxy.get("\(origin.url)/")
        #expect(response.text == "end")
        #expect(response.interim.map(\.startLine) == ["HTTP/1.1 103 Early Hints", "HTTP/1.1 103 Early Hints"])
        #expect(response.interim.map { $0["Link"] } == ["</a>", "</a>"])
        #expect(response.interim.map { $0["Connection"] } == [nil, nil])
    }

    @Test("H-5 a client of HTTP/1.0 gets no interim response and no chunks")
    func olderClient() throws {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        let origin = try ScriptedPeer { _ in [.send(Self.hints), .send(chunked)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("GET \(origin.url)/ HTTP/1.0", ["Connection: keep-alive"]))
        let head = try client.receiveAnyHead()
        #expect(head.startLine.contains(" 200 "))
        #expect(head["Transfer-Encoding"] == nil)
        #expect(try client.receiveToEnd() == Array("hello".utf8))
    }

    @Test("H-5 HEAD, 204 and 304 have no body whatever their fields say")
    func withoutBody() throws {
        let origin = try ScriptedPeer { request in
            switch request.target {
            case "/204": [.send("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n")]
            case "/304": [.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n")]
            case "/head": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")]
            default: [.response(body: "rest")]
            }
        }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        for (line, status) in [("HEAD", 200), ("GET", 204), ("GET", 304)] {
            let path = line == "HEAD" ? "head" : "\(status)"
            let response = try client.exchange(request("\(line) \(origin.url)/\(path) HTTP/1.1", ["Host: h"]))
            #expect(response.status == status)
            #expect(response.body.bytes.isEmpty)
            if status == 204 { #expect(response["Transfer-Encoding"] == nil) }
        }
        #expect(try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"])).text == "rest")
        #expect(origin.connectionCount == 1)
    }

    /// An origin that sends `count` interim responses of 8 KB, then a response.
    private func flooding(_ count: Int) throws -> ScriptedPeer {
        let part = [UInt8]("HTTP/1.1 103 Early Hints\r\nLink: </\(String(repeating: "a", count: 8_000))>\r\n\r\n".utf8)
        let flood = [ScriptedPeer.Step](repeating: .sendBytes(part), count: count)
        return try ScriptedPeer { ($0.target == "/flood" ? flood : []) + [.response(body: "end")] }
    }

    @Test("S-2 interim responses to a client that doesn't read hold the origin up, and memory stays bounded")
    func flood() throws {
        let origin = try flooding(5_000)
        let proxy = try RunningProxy("", workers: 1)
        #expect(try proxy.get("\(origin.url)/").text == "end")
        let before = try proxy.process.memory()
        let client = try proxy.connect(receiveBuffer: 16_384)
        try client.send(request("GET \(origin.url)/flood HTTP/1.1", ["Host: h", "Connection: close"]))
        // First the kernel takes some 8 MiB for the three, whatever the proxy does.
        pause(.seconds(2))
        var last = try proxy.process.memory()
        try eventually("memory to stand still", within: .seconds(3)) {
            pause(.milliseconds(700))
            let now = try proxy.process.memory()
            defer { last = now }
            return now - last < 256
        }
        let growth = try proxy.process.memory("VmHWM") - before
        #expect(try growth < proxy.process.bound(mebibytes: 8))
    }

    @Test("H-7 interim responses that were held back come once the client reads")
    func readLate() throws {
        let count = 900
        let origin = try flooding(count)
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect(receiveBuffer: 16_384)
        try client.send(request("GET \(origin.url)/flood HTTP/1.1", ["Host: h", "Connection: close"]))
        pause(.seconds(1))
        let all = try client.receiveToEnd()
        #expect(all.count > count * 8_000)
        #expect(String(decoding: all.suffix(3), as: UTF8.self) == "end")
    }

    @Test(
        "S-2 interim responses don't put off the limit of the response's head",
        arguments: ["HTTP/1.1", "HTTP/1.0"],
        ["100 Continue", "103 Early Hints"]
    )
    func dripping(_ version: String, _ status: String) throws {
        let drip = (0..<20).flatMap { _ -> [ScriptedPeer.Step] in
            [.send("HTTP/1.1 \(status)\r\n\r\n"), .pause(.milliseconds(200))]
        }
        let origin = try ScriptedPeer { _ in drip + [.response(body: "too late")] }
        let proxy = try RunningProxy("timeouts: { response_head: 1s }")
        let client = try proxy.connect()
        let response = try client.exchange(request("GET \(origin.url)/ \(version)", ["Host: h"]))
        #expect(response.status == 504)
        #expect(response["Proxy-Status"]?.contains("error=http_response_timeout") == true)
    }
}
