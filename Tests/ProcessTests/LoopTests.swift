import Support
import Testing

@Suite struct LoopTests {
    @Test(
        "H-13 a request that would reach a listener of the proxy's own is 502",
        arguments: ["127.0.0.1", "localhost"]
    )
    func ownListener(_ host: String) throws {
        let proxy = try RunningProxy("")
        let response = try proxy.get("http://\(host):\(proxy.port)/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("error=proxy_loop_detected") == true)
    }

    @Test("H-13 so is a CONNECT to it")
    func connect() throws {
        let proxy = try RunningProxy("")
        let text = request("CONNECT 127.0.0.1:\(proxy.port) HTTP/1.1", ["Host: h"])
        let response = try proxy.connect().exchange(text)
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("error=proxy_loop_detected") == true)
    }

    @Test("H-13 a request that carries the proxy's own pseudonym is 502")
    func pseudonym() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("http: { via: tester }")
        let client = try proxy.connect()
        for via in ["Via: 1.1 tester", "Via: 1.0 a, 1.1 tester (x), 1.1 b", "Via: HTTP/1.1 tester"] {
            let response = try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h", via]))
            #expect(response.status == 502, "\(via)")
            #expect(response["Proxy-Status"]?.contains("error=proxy_loop_detected") == true, "\(via)")
        }
        let other = try client.exchange(
            request("GET \(origin.url)/ HTTP/1.1", ["Host: h", "Via: 1.1 tester-2, 1.1 atester"])
        )
        #expect(other.status == 200)
        #expect(origin.requests.count == 1)
    }
}
