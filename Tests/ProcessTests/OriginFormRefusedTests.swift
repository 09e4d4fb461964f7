import Support
import Testing

@Suite struct OriginFormRefusedTests {
    @Test(
        "H-2 origin-form on a forward listener is 400, whatever Host says",
        arguments: ["GET /", "GET /a?b", "OPTIONS *"]
    )
    func refused(_ line: String) throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let response = try proxy.connect().exchange(request("\(line) HTTP/1.1", ["Host: \(origin.authority)"]))
        #expect(response.status == 400)
        #expect(response["Proxy-Status"]?.contains("target.origin-form") == true)
        #expect(origin.connectionCount == 0)
    }
}
