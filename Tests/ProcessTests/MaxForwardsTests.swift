import Support
import Testing

@Suite struct MaxForwardsTests {
    @Test("H-12 TRACE is 405, and Allow names the rest")
    func trace() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let response = try proxy.connect().exchange(request("TRACE \(origin.url)/ HTTP/1.1", ["Host: h"]))
        #expect(response.status == 405)
        #expect(response["Allow"]?.contains("GET") == true)
        #expect(response["Allow"]?.contains("TRACE") == false)
        #expect(origin.connectionCount == 0)
    }

    @Test("H-12 Max-Forwards is counted down for OPTIONS and TRACE alone", arguments: ["OPTIONS", "TRACE", "GET"])
    func countedDown(_ method: String) throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("http: { trace: true }")
        let client = try proxy.connect()
        _ = try client.exchange(request("\(method) \(origin.url)/ HTTP/1.1", ["Host: h", "Max-Forwards: 3"]))
        #expect(try origin.waitForRequests(1)[0]["Max-Forwards"] == (method == "GET" ? "3" : "2"))
        _ = try client.exchange(request("\(method) \(origin.url)/ HTTP/1.1", ["Host: h", "Max-Forwards: 0"]))
        #expect(origin.requests.count == (method == "GET" ? 2 : 1))
    }
}
