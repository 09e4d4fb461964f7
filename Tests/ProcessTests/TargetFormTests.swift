import Support
import Testing

@Suite struct TargetFormTests {
    private static let targets = [
        ("GET", "", "/", ""), ("GET", "?q=1", "/?q=1", "?q=1"), ("GET", "/a/b?c=d%20", "/a/b?c=d%20", ""),
        ("OPTIONS", "", "*", ""), ("OPTIONS", "/", "/", ""),
    ]

    @Test("H-1 an absolute target goes to its origin in origin-form, with its authority as Host", arguments: targets)
    func originForm(_ method: String, _ suffix: String, _ target: String, _: String) throws {
        let origin = try ScriptedPeer { _ in [.response(body: "here")] }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let text = request("\(method) \(origin.url)\(suffix) HTTP/1.1", ["Host: other.test"])
        #expect(try client.exchange(text).text == "here")
        let requests = try origin.waitForRequests(1)
        #expect(requests[0].head.startLine == "\(method) \(target) HTTP/1.1")
        #expect(requests[0].head.values("Host") == [origin.authority])
    }

    @Test("H-1 an absolute target goes to a parent in absolute-form")
    func absoluteForm() throws {
        let parent = try ScriptedPeer { _ in [.response(body: "here")] }
        let proxy = try RunningProxy(RunningProxy.through(parent.port))
        let client = try proxy.connect()
        for (target, expected) in [
            ("http://a.test", "http://a.test/"), ("http://a.test:81/b?c", "http://a.test:81/b?c"),
        ] {
            parent.forget()
            _ = try client.exchange(request("GET \(target) HTTP/1.1", ["Host: other.test"]))
            let requests = try parent.waitForRequests(1)
            #expect(requests[0].target == expected)
            #expect(requests[0].head.values("Host") == [String(expected.dropFirst(7).prefix { $0 != "/" })])
        }
    }

    @Test("H-1 a target of another scheme is 501", arguments: ["ftp://a.test/", "ws://a.test/"])
    func otherScheme(_ target: String) throws {
        let proxy = try RunningProxy("")
        let response = try proxy.connect().exchange(request("GET \(target) HTTP/1.1", ["Host: a.test"]))
        #expect(response.status == 501)
        #expect(response["Proxy-Status"]?.contains("error=") == true)
    }
}
