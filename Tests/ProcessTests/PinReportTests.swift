import Foundation
import Support
import Testing

/// Reports of failed and observed pins, as their collector gets them.
@Suite struct PinReportTests {
    static let authority = Result { try TestAuthority() }
    private static let absent = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// A server with a leaf of its own, and the leaf's files.
    private func server() throws -> (Nginx, TestAuthority.Leaf) {
        let leaf = try Self.authority.get().leaf("reported-\(try FreePort.reserve())", names: "DNS:localhost")
        return (try Nginx(leaf), leaf)
    }

    private func trust(_ rest: String, port: UInt16? = nil) throws -> String {
        let place = port.map { ", port: \($0)" } ?? ""
        return "  - { host: localhost\(place), anchors: { file: \(try Self.authority.get().certificate) }\(rest) }\n"
    }

    private func object(_ request: ScriptedPeer.Request) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(request.body.bytes))
        return try #require(json as? [String: Any])
    }

    /// The DER behind each PEM text that is given, in base64.
    private func base64(_ pem: String) -> String {
        pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    private func base64(file path: String) throws -> String {
        base64(String(decoding: try #require(contents(of: path)), as: UTF8.self))
    }

    @Test("T-10 a failed pin is reported with what was seen, ready to be pasted", arguments: [true, false])
    func reported(_ enforces: Bool) throws {
        let (server, leaf) = try server()
        let collector = try ScriptedPeer { _ in [.response(204)] }
        let rules =
            try "trust:\n"
            + trust(
                ", pins: [\(Self.absent)], expires: 2099-01-01, enforce: \(enforces), "
                    + "report: \"http://\(collector.authority)/hpkp?x=1\"",
                port: server.port
            )
        let proxy = try RunningProxy(rules, workers: 1)
        let begin = Date().addingTimeInterval(-2)
        let response = try proxy.get("https://\(server.authority)/open/", ["Cookie: a=b", "Authorization: Basic eA=="])
        #expect(response.status == (enforces ? 502 : 200))
        let request = try collector.waitForRequests(1)[0]
        #expect(request.method == "POST" && request.target == "/hpkp?x=1")
        #expect(request["Content-Type"] == "application/json" && request["User-Agent"] == "countersign")
        #expect(request["Authorization"] == nil && request["Cookie"] == nil && request["Via"] == nil)
        let report = try object(request)
        #expect(report["hostname"] as? String == "localhost" && report["noted-hostname"] as? String == "localhost")
        #expect(report["port"] as? Int == Int(server.port))
        #expect(report["effective-expiration-date"] as? String == "2099-01-01T00:00:00Z")
        #expect(report["include-subdomains"] as? Bool == false)
        #expect(report["known-pins"] as? [String] == ["pin-sha256=\"\(Self.absent.dropFirst(7))\""])
        let written = try #require(report["date-time"] as? String)
        let date = try #require(ISO8601DateFormatter().date(from: written))
        #expect(date >= begin && date <= Date())
        let authority = try Self.authority.get()
        let served = try #require(report["served-certificate-chain"] as? [String])
        #expect(try served.map(base64) == [base64(file: leaf.certificate)])
        let validated = try #require(report["validated-certificate-chain"] as? [String])
        #expect(try validated.map(base64) == [base64(file: leaf.certificate), base64(file: authority.certificate)])
        let seen = try #require(report["seen"] as? [String])
        let pins = try [leaf.certificate, authority.certificate].map(authority.pin)
        #expect(seen.count == 2 && zip(seen, pins).allSatisfy { $0.contains("- \($1)  # ") })
        for pin in pins where enforces { #expect(response["Proxy-Status"]?.contains(pin) == true) }
    }

    @Test("T-4 the same failure is reported once, another one at once")
    func limited() throws {
        let (server, _) = try server()
        let (other, _) = try self.server()
        let collector = try ScriptedPeer { _ in [.response(204)] }
        let rest = ", pins: [\(Self.absent)], report: \"http://\(collector.authority)/\""
        let proxy = try RunningProxy("trust:\n" + trust(rest), workers: 2)
        for _ in 0..<5 { #expect(try proxy.get("https://\(server.authority)/open/").status == 502) }
        #expect(try proxy.get("https://\(other.authority)/open/").status == 502)
        let ports = try collector.waitForRequests(2).map { try object($0)["port"] as? Int }
        #expect(ports == [Int(server.port), Int(other.port)])
        // What had been sent beside would stand before the second.
        #expect(proxy.stop() == .status(0))
        #expect(collector.requests.count == 2)
    }

    @Test("T-4 an observed chain is logged and reported once")
    func observed() throws {
        let (server, leaf) = try server()
        let collector = try ScriptedPeer { _ in [.response(200, body: "thanks")] }
        let proxy = try RunningProxy(
            "trust:\n" + trust(", pinning: observe, report: \"http://\(collector.authority)/\""),
            workers: 1
        )
        for _ in 0..<2 { #expect(try proxy.get("https://\(server.authority)/close/").status == 200) }
        // After a reload no TLS session is resumed: the chain is seen anew.
        proxy.reload()
        try proxy.waitForLog("the rules were read again")
        #expect(try proxy.get("https://\(server.authority)/close/").status == 200)
        let report = try object(collector.waitForRequests(1)[0])
        #expect(report["reason"] as? String == "pin.observed")
        #expect(proxy.stop() == .status(0))
        #expect(collector.requests.count == 1)
        let pin = try Self.authority.get().pin(of: leaf.certificate)
        #expect(proxy.log.components(separatedBy: pin).count == 2)
    }

    @Test("T-4 a collector over TLS is held to the policy of its host")
    func secureCollector() throws {
        let (server, _) = try server()
        let (collector, _) = try self.server()
        let report = ", pins: [\(Self.absent)], report: \"https://localhost:\(collector.port)/open/\""
        let rules = try "trust:\n" + trust(report, port: server.port) + trust("")
        let proxy = try RunningProxy(rules, workers: 1)
        #expect(try proxy.get("https://\(server.authority)/open/").status == 502)
        // nginx answers a POST to a file with 405: the request was read there.
        let entry = try collector.log.wait(for: 1)[0]
        #expect(entry.method == "POST" && entry.target == "/open/index.html" || entry.target == "/open/")
        try proxy.waitForLog("https://localhost:\(collector.port): it answered 405")
    }

    @Test("T-4 a collector whose own pins fail is told once, and never reported")
    func loop() throws {
        let (server, _) = try server()
        let (other, _) = try self.server()
        let url = "https://localhost:\(server.port)/open/"
        let rules = try "trust:\n" + trust(", pins: [\(Self.absent)], report: \"\(url)\"")
        let proxy = try RunningProxy(rules, workers: 1)
        #expect(try proxy.get(url).status == 502)
        try proxy.waitForLog("a report didn't reach https://localhost:\(server.port): pin.mismatch")
        #expect(try proxy.get("https://\(other.authority)/open/").status == 502)
        #expect(proxy.stop() == .status(0))
        #expect(proxy.log.components(separatedBy: "a report didn't reach").count == 2)
        #expect(server.log.entries.isEmpty && other.log.entries.isEmpty)
    }

    @Test("T-4 a collector that says nothing holds up no request, and not the end")
    func silent() throws {
        let (server, _) = try server()
        let collector = try ScriptedPeer { _ in [.hang] }
        let rest = ", pins: [\(Self.absent)], enforce: false, report: \"http://\(collector.authority)/\""
        let proxy = try RunningProxy("trust:\n" + trust(rest), workers: 1)
        let clock = ContinuousClock()
        let begin = clock.now
        for _ in 0..<20 { #expect(try proxy.get("https://\(server.authority)/close/").status == 200) }
        #expect(clock.now - begin < .seconds(5))
        try collector.waitForRequests(1)
        let end = clock.now
        #expect(proxy.stop() == .status(0))
        #expect(clock.now - end < .seconds(5))
        #expect(proxy.log.contains("reports broken off: 1"))
    }

    @Test("T-4 a collector that is too slow is given up in the time that a response may take")
    func late() throws {
        let (server, _) = try server()
        let collector = try ScriptedPeer { _ in [.hang] }
        let rest = ", pins: [\(Self.absent)], report: \"http://\(collector.authority)/\""
        let rules = try "timeouts: { response_head: 300ms }\ntrust:\n" + trust(rest)
        let proxy = try RunningProxy(rules, workers: 1)
        #expect(try proxy.get("https://\(server.authority)/open/").status == 502)
        try proxy.waitForLog("a report didn't reach http://\(collector.authority): it didn't answer in time")
    }

    @Test("T-4 a report never comes back to the proxy itself")
    func own() throws {
        let (server, _) = try server()
        let rules = try """
        version: 1
        listeners: [{ address: "127.0.0.1:$PORT" }]
        state: state
        trust:
        \(trust(", pins: [\(Self.absent)], report: \"http://127.0.0.1:$PORT/\""))
        """
        let proxy = try RunningProxy(rules, workers: 1)
        #expect(try proxy.get("https://\(server.authority)/open/").status == 502)
        try proxy.waitForLog("it is this proxy itself")
    }
}
