import Support
import Testing

/// More requests to one host than `upstream_connections_per_host` allows at a time.
@Suite struct HostLimitTests {
    @Test("O-12 at a host's connection limit a request waits for `connect`, then it is 503")
    func hostLimit() throws {
        let gate = Gate()
        let origin = try ScriptedPeer { _ in [.wait(gate), .response(body: "in time")] }
        let rules = "limits: { upstream_connections_per_host: 1 }\ntimeouts: { connect: 1s }"
        let proxy = try RunningProxy(rules, workers: 1)
        let first = try proxy.connect()
        try first.send(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"]))
        try origin.waitForRequests(1)
        let response = try proxy.get("\(origin.url)/")
        #expect(response.status == 503)
        #expect(response["Proxy-Status"]?.contains("error=connection_limit_reached") == true)
        gate.opens()
        #expect(try first.receive().text == "in time")
        #expect(try proxy.get("\(origin.url)/").text == "in time")
        #expect(origin.connectionCount == 1)
    }

    @Test("S-2 requests that wait for a place cost no time of the processor", arguments: [1, 2])
    func waiting(_ workers: Int) throws {
        let gate = Gate()
        let origin = try ScriptedPeer { _ in [.wait(gate), .response(body: "in")] }
        let proxy = try RunningProxy("limits: { upstream_connections_per_host: 1 }", workers: workers)
        let clients = try (0..<8).map { _ in try proxy.connect() }
        for client in clients { try client.send(request("GET \(origin.url)/ HTTP/1.1", ["Host: h"])) }
        try origin.waitForRequests(1)
        pause(.milliseconds(300))
        let before = try proxy.process.processorTime
        pause(.seconds(1))
        #expect(try proxy.process.processorTime - before < .milliseconds(100))
        gate.opens()
        for client in clients { #expect(try client.receive().text == "in") }
    }

    @Test("O-12 a place that is free goes to who waits for it, on whatever loop, and to another way to the same host")
    func handedOn() throws {
        let origin = try ScriptedPeer { _ in [.pause(.milliseconds(5)), .response()] }
        // The same port is an origin, and a parent for another.
        let rules = """
            proxies: { upper: { url: "http://127.0.0.1:\(origin.port)" } }
            routes: [ { host: parent.example, via: upper }, { host: "*", via: direct } ]
            limits: { upstream_connections_per_host: 1 }
            timeouts: { connect: 4s }
            """
        let proxy = try RunningProxy(rules, workers: 2)
        let (url, port) = (origin.url, proxy.port)
        let statuses = try concurrently(12) { number in
            // Each has a connection of its own, on this loop or on that one.
            let client = try HTTPClient(port: port)
            return try (0..<10).map { _ in
                let target = number % 3 == 0 ? "http://parent.example/" : "\(url)/"
                return try client.exchange(request("GET \(target) HTTP/1.1", ["Host: h"])).status
            }
        }
        #expect(statuses == [[Int]](repeating: [Int](repeating: 200, count: 10), count: 12))
        #expect(origin.faults == [])
    }
}
