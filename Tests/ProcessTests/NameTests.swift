import Support
import Testing

/// Names that a server of the tests' own answers for.
@Suite struct NameTests {
    private func rules(_ server: NameServer, _ more: String = "") -> String {
        "dns: { servers: [\"\(server.authority)\"] }\n\(more)"
    }

    @Test("H-11 names are asked of the servers that the rule file gives, and the family that answers is used")
    func servers() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let server = try NameServer([
            "four.test": .init(a: ["127.0.0.1"]),
            // Nothing listens at ::1, so IPv4 has to follow.
            "both.test": .init(a: ["127.0.0.1"], aaaa: ["::1"]),
            "late.test": .init(a: ["127.0.0.1"], aaaa: ["::1"]) { $0.delay = ["aaaa": 3] },
            "six.test": .init(aaaa: ["::1"]),
        ])
        let proxy = try RunningProxy(rules(server))
        for name in ["four", "both"] {
            #expect(try proxy.get("http://\(name).test:\(origin.port)/").status == 200, "\(name)")
        }
        let began = ContinuousClock.now
        #expect(try proxy.get("http://late.test:\(origin.port)/").status == 200)
        #expect(ContinuousClock.now - began < .seconds(2))
        let six = try proxy.get("http://six.test:\(origin.port)/")
        #expect(six.status == 502)
        #expect(six["Proxy-Status"]?.contains("error=connection_refused") == true)
        let gone = try proxy.get("http://gone.test:\(origin.port)/")
        #expect(gone.status == 502)
        #expect(gone["Proxy-Status"]?.contains("error=dns_error") == true)
    }

    @Test("H-11 while a name hangs, other requests on the same loop keep their latency")
    func hanging() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let server = try NameServer([
            "hang.test": .init { $0.silent = "a" },
            "fast.test": .init(a: ["127.0.0.1"]),
            "large.test": .init(a: ["127.0.0.1"] + (1...80).map { "127.0.2.\($0)" }) { $0.truncate = true },
        ])
        let proxy = try RunningProxy(rules(server, "timeouts: { dns: 2s }"), workers: 1)
        let waiting = try (0..<8).map { _ in try proxy.connect() }
        let began = ContinuousClock.now
        for client in waiting {
            try client.send(request("GET http://hang.test:\(origin.port)/ HTTP/1.1", ["Host: hang.test"]))
        }
        var slowest = Duration.zero
        for _ in 0..<50 {
            let start = ContinuousClock.now
            #expect(try proxy.get("http://fast.test:\(origin.port)/").status == 200)
            slowest = max(slowest, ContinuousClock.now - start)
        }
        #expect(slowest < .milliseconds(500), "\(slowest)")
        #expect(try proxy.get("http://large.test:\(origin.port)/").status == 200)
        for client in waiting {
            let response = try client.receive()
            #expect(response.status == 502)
            #expect(response["Proxy-Status"]?.contains("error=dns_error") == true)
        }
        #expect((.milliseconds(1800) ... .seconds(8)).contains(ContinuousClock.now - began))
        // Eight askers, one question: again only where the server stays silent.
        #expect(server.questions.count { $0 == "udp a hang.test" } <= 3)
    }

    @Test("H-11 the system's resolver answers where the rule file says so")
    func system() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("dns: { resolver: system }")
        #expect(try proxy.get("http://localhost:\(origin.port)/").status == 200)
        #expect(try proxy.get("http://a.localhost:\(origin.port)/").status == 200)
    }
}
