import Support
import Testing

/// What operators are told on the admin listener.
@Suite struct AdminTests {
    private static let secrets = ["secret": Login.password]

    private func proxy(_ origin: UInt16, admin: UInt16, hosts: String = "") throws -> RunningProxy {
        try RunningProxy(
            """
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            rules: [{ space: { host: 127.0.0.1, port: \(origin) }, use: staff, cleartext: [basic] }]
            admin: { address: "127.0.0.1:\(admin)"\(hosts) }

            """,
            workers: 2,
            files: Self.secrets
        )
    }

    /// It opens beside the proxy's own listeners, perhaps behind them.
    private func connected(_ port: UInt16) throws -> HTTPClient {
        for _ in 0..<100 {
            if let client = try? HTTPClient(port: port) { return client }
            pause(.milliseconds(50))
        }
        return try HTTPClient(port: port)
    }

    private func ask(_ port: UInt16, _ path: String, host: String? = nil, method: String = "GET") throws -> HTTPResponse
    {
        let client = try connected(port)
        return try client.exchange(
            "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\nConnection: close\r\n\r\n"
        )
    }

    @Test("O-2 health is told to any Host, everything else to an address, localhost and the names of admin.hosts")
    func hosts() throws {
        let port = try FreePort.reserve()
        let proxy = try proxy(9, admin: port, hosts: ", hosts: [ops.example, .internal]")
        for path in ["/healthz", "/readyz"] {
            for host in ["evil.example", "127.0.0.1", "a b"] where host != "a b" {
                #expect(try ask(port, path, host: host).status == 200)
            }
        }
        for path in ["/metrics", "/", "/status.json"] {
            for host in [
                "127.0.0.1", "[::1]:80", "192.0.2.1", "localhost", "LOCALHOST.", "Ops.Example:3129", "a.b.internal",
            ] {
                #expect(try ask(port, path, host: host).status == 200, "\(path) at \(host)")
            }
            for host in ["evil.example", "x.ops.example", "localhost.evil.example", "127.0.0.1.evil.example"] {
                #expect(try ask(port, path, host: host).status == 421, "\(path) at \(host)")
            }
        }
        _ = proxy.stop()
    }

    @Test("O-2 a target that names a host is held to it as Host is")
    func absoluteTarget() throws {
        let port = try FreePort.reserve()
        let proxy = try proxy(9, admin: port)
        #expect(try ask(port, "http://evil.example/metrics", host: "localhost").status == 421)
        #expect(try ask(port, "http://localhost/metrics", host: "evil.example").status == 421)
        #expect(try ask(port, "http://localhost/metrics", host: "localhost").status == 200)
        _ = proxy.stop()
    }

    @Test("O-2 nothing can be changed there, and what is there can be told from what isn't")
    func readOnly() throws {
        let port = try FreePort.reserve()
        let proxy = try proxy(9, admin: port)
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
            let response = try ask(port, "/status.json", method: method)
            #expect(response.status == 405)
            #expect(response["Allow"] == "GET, HEAD")
        }
        #expect(try ask(port, "/nothing").status == 404)
        let head = try ask(port, "/metrics", method: "HEAD")
        #expect(head.status == 200)
        let page = try ask(port, "/")
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(page["X-Content-Type-Options"] == "nosniff")
        #expect(page["Cache-Control"] == "no-store")
        #expect(page["Access-Control-Allow-Origin"] == nil)
        _ = proxy.stop()
    }

    @Test("O-2 the metrics are OpenMetrics to another's parser, and say what was done")
    func metrics() throws {
        let apache = try Apache()
        let port = try FreePort.reserve()
        let proxy = try proxy(apache.port, admin: port)
        for _ in 0..<3 { #expect(try proxy.get("http://127.0.0.1:\(apache.port)/basic/").status == 200) }
        #expect(try proxy.get("http://127.0.0.1:1/").status == 502)
        let script = """
            import sys, urllib.request
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
            text = urllib.request.urlopen(sys.argv[1]).read().decode()
            for family in parse(text):
                for sample in family.samples:
                    print(sample.name, ",".join(f"{k}={v}" for k, v in sorted(sample.labels.items())), sample.value)
            """
        let python = try TestProcess(
            HTTPBin.python(),
            ["-c", script, "http://127.0.0.1:\(port)/metrics"],
            environment: ["no_proxy": "*"]
        )
        #expect(try python.waitForExit() == .status(0))
        let lines = Set(python.output.split(separator: "\n").map(String.init))
        #expect(lines.contains("countersign_exchanges_total response=2xx 3"))
        #expect(lines.contains("countersign_exchanges_total response=5xx 1"))
        #expect(lines.contains("countersign_challenges_total from=origin 1"))
        #expect(lines.contains("countersign_answered_total  3"))
        #expect(lines.contains("countersign_exchange_duration_seconds_count  4"))
        #expect(lines.contains("countersign_credential_withheld credential=staff 0"))
        #expect(lines.contains("countersign_ready  1"))
        #expect(lines.contains { $0.hasPrefix("countersign_failures_total reason=") && $0.hasSuffix(" 1") })
        _ = proxy.stop()
    }

    @Test("O-2 who says nothing, too much or garbage there keeps nobody else waiting")
    func hostile() throws {
        let port = try FreePort.reserve()
        let proxy = try proxy(9, admin: port)
        let silent = try (0..<100).map { _ in try connected(port) }
        let large = try HTTPClient(port: port)
        try? large.send("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 64 * 1024))\r\n\r\n")
        let garbage = try HTTPClient(port: port)
        try garbage.send("\u{1}\u{2}\r\n\r\n")
        #expect(try garbage.receive().status == 400)
        #expect(try ask(port, "/healthz").status == 200)
        withExtendedLifetime(silent) {}
        _ = proxy.stop()
    }

    @Test("R-7 the admin listener can't be reached through the proxy")
    func loop() throws {
        let port = try FreePort.reserve()
        let proxy = try proxy(9, admin: port)
        for host in ["127.0.0.1", "localhost"] {
            let response = try proxy.get("http://\(host):\(port)/status.json")
            #expect(response.status == 502 || response.status == 508)
            #expect(response["Proxy-Status"]?.contains("proxy_loop_detected") == true)
        }
        _ = proxy.stop()
    }
}
