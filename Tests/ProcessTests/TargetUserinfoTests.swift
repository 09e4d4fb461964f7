import Support
import Testing

@Suite struct TargetUserinfoTests {
    @Test("H-1b userinfo in a target is 400 and reaches nobody")
    func refused() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let target = "http://alice:sesame@\(origin.authority)/"
        let response = try proxy.connect().exchange(request("GET \(target) HTTP/1.1", ["Host: \(origin.authority)"]))
        #expect(response.status == 400)
        #expect(!response.head.text.contains("sesame") && !response.text.contains("sesame"))
        #expect(origin.connectionCount == 0)
    }

    @Test("H-1b userinfo that is allowed is taken off the target")
    func takenOff() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("http: { userinfo: true }")
        let target = "http://alice:sesame@\(origin.authority)/a"
        let response = try proxy.connect().exchange(request("GET \(target) HTTP/1.1", ["Host: \(origin.authority)"]))
        #expect(response.status == 200)
        let requests = try origin.waitForRequests(1)
        #expect(requests[0].target == "/a")
        #expect(!requests[0].head.text.contains("sesame"))
        #expect(requests[0]["Authorization"] == nil)
    }
}
