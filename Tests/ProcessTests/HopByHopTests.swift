import Support
import Testing

@Suite struct HopByHopTests {
    private static let fields = [
        "Connection: keep-alive, X-Hop", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "TE: gzip",
        "X-Hop: one", "Proxy-Authorization: Basic YTpi", "X-End: stays",
    ]

    @Test("H-3 hop-by-hop fields of a request are removed, and what Connection nominates")
    func requestFields() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let lines = ["Host: \(origin.authority)"] + Self.fields
        #expect(try proxy.connect().exchange(request("GET \(origin.url)/ HTTP/1.1", lines)).status == 200)
        let head = try origin.waitForRequests(1)[0].head
        for name in ["Connection", "Keep-Alive", "Proxy-Connection", "TE", "X-Hop", "Proxy-Authorization", "Upgrade"] {
            #expect(head.values(name) == [], "\(name)")
        }
        #expect(head["X-End"] == "stays")
    }

    @Test("H-3 TE: trailers is kept, as an option of the next connection")
    func trailersKept() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("")
        let lines = ["Host: \(origin.authority)", "TE: gzip, trailers", "Connection: TE"]
        #expect(try proxy.connect().exchange(request("GET \(origin.url)/ HTTP/1.1", lines)).status == 200)
        let head = try origin.waitForRequests(1)[0].head
        #expect(head.values("TE") == ["trailers"])
        #expect(head.values("Connection").joined().lowercased().contains("te"))
    }

    @Test("H-3 hop-by-hop fields of a response are removed, and Date is added where it is missing")
    func responseFields() throws {
        let origin = try ScriptedPeer { request in
            let date = request.target == "/dated" ? ["Date: Sun, 06 Nov 1994 08:49:37 GMT"] : []
            return [
                .response(
                    200,
                    date + [
                        "Connection: X-Hop", "Keep-Alive: timeout=5", "Proxy-Connection: close", "X-Hop: one",
                        "Upgrade: h2c", "X-End: stays",
                    ]
                )
            ]
        }
        let proxy = try RunningProxy("")
        let client = try proxy.connect()
        let first = try client.exchange(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"]))
        for name in ["Connection", "Keep-Alive", "Proxy-Connection", "X-Hop", "Upgrade"] {
            #expect(first.values(name) == [], "\(name)")
        }
        #expect(first["X-End"] == "stays")
        #expect(first.values("Date").count == 1)
        let dated = try client.exchange(request("GET \(origin.url)/dated HTTP/1.1", ["Host: h"]))
        #expect(dated.values("Date") == ["Sun, 06 Nov 1994 08:49:37 GMT"])
    }
}
