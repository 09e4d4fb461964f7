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
}
