import Support
import Testing

@Suite struct PipeliningTests {
    @Test("H-10 pipelined requests are answered in their order")
    func inOrder() throws {
        let origin = try ScriptedPeer { request in
            (request.target == "/0" ? [.pause(.milliseconds(50))] : []) + [.response(body: request.target)]
        }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let texts = (0..<20).map {
            request("POST \(origin.url)/\($0) HTTP/1.1", ["Host: h", "Content-Length: 1"], body: "x")
        }
        try client.send(texts.joined())
        for index in 0..<20 { #expect(try client.receive().text == "/\(index)") }
    }

    @Test("H-10 an end behind a whole request is a half-close, and the request is served")
    func halfClose() throws {
        let origin = try ScriptedPeer { [.pause(.milliseconds(100)), .response(body: $0.target)] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let text = request("GET \(origin.url)/a HTTP/1.1", ["Host: h"])
        try client.send(text + text)
        client.finishSending()
        #expect(try client.receive().text == "/a")
        #expect(try client.receive().text == "/a")
        #expect(try client.waitForClose() == .endOfStream)
    }

    @Test("H-10 a client's reset ends the exchange and its attempt at the origin")
    func reset() throws {
        let block = [UInt8](repeating: 0x61, count: 1 << 16)
        let origin = try ScriptedPeer { request in
            guard request.target == "/endless" else { return [.response(body: "ok")] }
            return [.send("HTTP/1.1 200 OK\r\n\r\n")]
                + [ScriptedPeer.Step](repeating: .sendBytes(block), count: 1 << 16)
        }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("GET \(origin.url)/endless HTTP/1.1", ["Host: h"]))
        _ = try client.receiveHead()
        #expect(origin.openConnectionCount == 1)
        client.reset()
        try eventually("the origin's connection to end", within: .seconds(20)) { origin.openConnectionCount == 0 }
        #expect(try proxy.get("\(origin.url)/").text == "ok")
    }

    @Test("H-10 an upload that its client cuts short is no request to the origin")
    func cutShort() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "ok")] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        try client.send(request("PUT \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: 10"], body: "half"))
        try eventually("the origin to be asked") { origin.connectionCount == 1 }
        client.finishSending()
        try eventually("the origin's connection to end", within: .seconds(20)) { origin.openConnectionCount == 0 }
        #expect(origin.requests.isEmpty)
    }

    @Test("H-10 a client's reset is noticed behind what it sent and nobody took yet")
    func resetBehindUnread() throws {
        // It answers nothing, and sees the end of its connection.
        let origin = try ScriptedPeer { $0.target == "/" ? [.response(body: "ok")] : [.echo] }
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect()
        try client.send(request("GET \(origin.url)/slow HTTP/1.1", ["Host: h"]))
        try origin.waitForRequests(1)
        try client.send(request("POST \(origin.url)/behind HTTP/1.1", ["Host: h", "Content-Length: 0"]))
        pause(.milliseconds(200))
        client.reset()
        try eventually("the attempt to end", within: .seconds(4)) { origin.openConnectionCount == 0 }
        #expect(try proxy.get("\(origin.url)/").text == "ok")
        #expect(origin.requests.map(\.target) == ["/slow", "/"])
    }

    @Test("H-10 so is one in the middle of an upload that the origin holds up")
    func resetWithinUpload() throws {
        let gate = Gate()
        let origin = try ScriptedPeer(beforeBody: { _ in [.wait(gate)] }, answer: { _ in [.response()] })
        let proxy = try RunningProxy("", workers: 1)
        let client = try proxy.connect(limit: .seconds(1))
        let block = [UInt8](repeating: 0x61, count: 1 << 20)
        try client.send(request("PUT \(origin.url)/ HTTP/1.1", ["Host: h", "Content-Length: \(64 << 20)"]))
        #expect((0..<64).contains { _ in (try? client.send(block)) == nil })
        client.reset()
        try proxy.waitForLog("client.gone", within: .seconds(4))
        gate.opens()
        try eventually("the origin's connection to end") { origin.openConnectionCount == 0 }
        #expect(origin.requests.isEmpty)
    }

    private static let pings = request("OPTIONS http://h.test/ HTTP/1.1", ["Host: h.test", "Max-Forwards: 0"])

    @Test("S-2 no more requests are taken than the client reads responses of, the proxy's own too")
    func unreadResponses() throws {
        let proxy = try RunningProxy("log: { access: false }", workers: 1)
        #expect(try proxy.connect().exchange(Self.pings).status == 200)
        let before = try proxy.process.memory()
        let client = try proxy.connect(limit: .seconds(1), receiveBuffer: 16_384)
        let block = [UInt8](String(repeating: Self.pings, count: 10_000).utf8)
        // What the kernel holds for both is less than half of that.
        let isHeldUp = (0..<32).contains { _ in (try? client.send(block)) == nil }
        #expect(isHeldUp)
        // It comes to rest, and doesn't go on by and by.
        var worked = try proxy.process.processorTime
        try eventually("the proxy to rest", within: .seconds(3)) {
            pause(.milliseconds(500))
            let now = try proxy.process.processorTime
            defer { worked = now }
            return now - worked < .milliseconds(50)
        }
        let growth = try proxy.process.memory("VmHWM") - before
        #expect(try growth < proxy.process.bound(mebibytes: 8))
    }

    @Test("H-10 once the client reads, what it sent meanwhile is served to the last request")
    func readLate() throws {
        let proxy = try RunningProxy("log: { access: false }", workers: 1)
        let client = try proxy.connect(receiveBuffer: 16_384)
        let count = 20_000
        try client.send(String(repeating: Self.pings, count: count))
        client.finishSending()
        pause(.milliseconds(500))
        let responses = try client.receiveToEnd()
        let statuses = responses.split(separator: UInt8(ascii: "\n")).count { $0.starts(with: "HTTP/1.1 200".utf8) }
        #expect(statuses == count)
    }
}
