import Support
import Testing

@Suite struct TrailerAndViaTests {
    private static let body =
        "3\r\nabc\r\n0\r\nX-Sum: 7\r\nContent-Length: 9\r\nAuthorization: Basic YTpi\r\nHost: evil\r\n\r\n"

    @Test("H-8 trailers of a request survive, less framing, routing and authentication fields")
    func requestTrailers() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let lines = ["Host: h", "Transfer-Encoding: chunked", "Trailer: X-Sum"]
        let text = request("POST \(origin.url)/ HTTP/1.1", lines, body: Self.body)
        #expect(try proxy.connect().exchange(text).status == 200)
        let asked = try origin.waitForRequests(1)[0]
        #expect(asked.body.bytes == Array("abc".utf8))
        #expect(asked.body.trailers == ["X-Sum: 7"])
    }

    @Test("H-8 trailers of a response survive towards HTTP/1.1", arguments: ["HTTP/1.1", "HTTP/1.0"])
    func responseTrailers(_ version: String) throws {
        let body = Self.body
        let origin = try ScriptedPeer { _ in [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")] }
        let proxy = try RunningProxy("")
        let response = try proxy.connect().exchange(request("GET \(origin.url)/ \(version)", ["Host: h"]))
        #expect(response.body.bytes == Array("abc".utf8))
        #expect(response.body.trailers == (version == "HTTP/1.1" ? ["X-Sum: 7"] : []))
    }

    @Test(
        "H-8 Via is added with the pseudonym both ways, behind what stands there",
        arguments: ["", "http: { via: tester }"]
    )
    func via(_ rules: String) throws {
        let origin = try ScriptedPeer { _ in [.response(200, ["Via: 1.0 far"])] }
        let proxy = try RunningProxy(rules)
        let response = try proxy.connect().exchange(
            request("GET \(origin.url)/ HTTP/1.1", ["Host: h", "Via: 1.0 near"])
        )
        let asked = try origin.waitForRequests(1)[0].head.values("Via").joined(separator: ", ")
        let told = response.values("Via").joined(separator: ", ")
        let prefix = rules.isEmpty ? "countersign-" : "tester"
        #expect(asked.hasPrefix("1.0 near, 1.1 \(prefix)"))
        #expect(told.hasPrefix("1.0 far, 1.1 \(prefix)"))
        let name = told.split(separator: " ").last.map(String.init) ?? ""
        if rules.isEmpty { #expect(name.dropFirst(12).count >= 8 && name.dropFirst(12).allSatisfy(\.isHexDigit)) }
        #expect(asked.hasSuffix(" \(name)"))
    }

    @Test("H-8 X-Forwarded-For is neither added nor changed")
    func forwardedFor() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        for lines in [[], ["X-Forwarded-For: 192.0.2.1"]] {
            _ = try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"] + lines))
        }
        let requests = try origin.waitForRequests(2)
        #expect(requests.map { $0.head.values("X-Forwarded-For") } == [[], ["192.0.2.1"]])
    }
}
