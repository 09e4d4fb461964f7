import Support
import Testing

/// Routes with more than one hop, and hops that don't work.
@Suite struct FailoverTests {
    private func rules(_ ports: [UInt16], last: String = "", more: String = "timeouts: { connect: 1s }") -> String {
        let names = ports.indices.map { "p\($0)" } + (last.isEmpty ? [] : [last])
        let proxies = zip(names, ports).map { "  \($0): { url: \"http://127.0.0.1:\($1)\" }" }
        return """
            proxies:
            \(proxies.joined(separator: "\n"))
            routes: [{ host: "*", via: [\(names.joined(separator: ", "))] }]
            \(more)

            """
    }

    /// A parent that answers by its own name.
    private func parent(_ name: String, port: UInt16 = 0) throws -> ScriptedPeer {
        try ScriptedPeer(port: port) { _ in [.response(body: name)] }
    }

    private let target = "http://origin.test/"

    @Test("R-1 a parent that refuses connections is passed over, and not asked again at once")
    func refuses() throws {
        let live = try parent("second")
        let proxy = try RunningProxy(rules([FreePort.reserve(), live.port]), workers: 1)
        for _ in 0..<5 { #expect(try proxy.get(target).text == "second") }
        try proxy.waitForLog("GET")
        #expect(proxy.log.split(separator: "\n").filter { $0.contains("p0 can't be used") }.count == 1)
        let first = try #require(proxy.log.split(separator: "\n").first { $0.contains("GET") })
        #expect(first.contains("p1"))
    }

    @Test("R-1 one client sees one slow request of a parent that answers nothing, however many ask")
    func blackHole() throws {
        let hole = try BlackHole()
        let live = try parent("second")
        let proxy = try RunningProxy(rules([hole.port, live.port]), workers: 1)
        let clock = ContinuousClock()
        var slow = 0
        for _ in 0..<8 {
            let start = clock.now
            #expect(try proxy.get(target).text == "second")
            let length = clock.now - start
            if length > .milliseconds(700) { slow += 1 }
        }
        #expect(slow == 1)
    }

    @Test("R-1 a request that a parent resets goes to the next where it may be repeated, and is 502 where not")
    func resets() throws {
        let broken = try ScriptedPeer { _ in [.reset] }
        let live = try parent("second")
        let proxy = try RunningProxy(rules([broken.port, live.port]), workers: 1)
        #expect(try proxy.get(target).text == "second")
        let other = try RunningProxy(rules([broken.port, live.port]), workers: 1)
        let post = request("POST \(target) HTTP/1.1", ["Host: origin.test", "Content-Length: 2"], body: "ab")
        #expect(try other.connect().exchange(post).status == 502)
        #expect(live.requests.count == 1)
    }

    @Test(
        "R-1 a parent that fails what may not be sent again is passed over by what follows",
        arguments: [ScriptedPeer.Step.reset, .close, .send("220 smtp.test ready\r\n\r\n")],
        ["CONNECT", "POST"]
    )
    func failsOnce(_ step: ScriptedPeer.Step, _ method: String) throws {
        let nginx = try Nginx()
        let broken = try ScriptedPeer { _ in [step, .close] }
        let squid = try Squid(demanding: .nothing)
        let proxy = try RunningProxy(rules([broken.port, squid.port]), workers: 1)
        let target = "127.0.0.1:\(nginx.port)"
        let text =
            method == "CONNECT"
            ? request("CONNECT \(target) HTTP/1.1", ["Host: \(target)"])
            : request("POST http://\(target)/open/ HTTP/1.1", ["Host: \(target)", "Content-Length: 2"], body: "ab")
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try proxy.connect().exchange(text).status) }
        #expect(statuses[0] == 502 && statuses[1] == statuses[2] && statuses[1] < 500)
        #expect(broken.requests.count == 1)
    }

    @Test("R-1 a parent that answers garbage is passed over")
    func garbage() throws {
        let broken = try ScriptedPeer { _ in [.send("220 smtp.test ready\r\n\r\n"), .close] }
        let live = try parent("second")
        let proxy = try RunningProxy(rules([broken.port, live.port]), workers: 1)
        for _ in 0..<3 { #expect(try proxy.get(target).text == "second") }
        #expect(broken.requests.count == 1)
    }

    @Test("R-1 a parent that comes back is used again")
    func comesBack() throws {
        let port = try FreePort.reserve()
        let live = try parent("second")
        let proxy = try RunningProxy(rules([port, live.port]), workers: 2)
        #expect(try proxy.get(target).text == "second")
        let first = try parent("first", port: port)
        try eventually("the first parent in use again") { try proxy.get(target).text == "first" }
        for _ in 0..<3 { #expect(try proxy.get(target).text == "first") }
        #expect(first.requests.count >= 4)
    }

    @Test("R-1 when all are dead the first is tried, so one that comes back is used at once")
    func allDead() throws {
        let ports = [try FreePort.reserve(), try FreePort.reserve()]
        let proxy = try RunningProxy(rules(ports), workers: 1)
        for _ in 0..<3 { #expect(try proxy.get(target).status == 502) }
        let first = try parent("first", port: ports[0])
        #expect(try proxy.get(target).text == "first")
        #expect(first.requests.count == 1)
    }

    @Test("R-1 the way goes direct where a parent can't be reached, for tunnels too")
    func direct() throws {
        let nginx = try Nginx()
        let proxy = try RunningProxy(rules([FreePort.reserve()], last: "direct"), workers: 1)
        #expect(try proxy.get("http://127.0.0.1:\(nginx.port)/open/").status == 200)
        let curl = try TestProcess(
            "curl",
            ["-s", "--max-time", "20", "-p", "-x", proxy.url, "http://127.0.0.1:\(nginx.port)/open/"]
        )
        #expect(try curl.waitForExit() == .status(0))
        #expect(curl.output == (try proxy.get("http://127.0.0.1:\(nginx.port)/open/").text))
    }

    @Test("R-1 a rejected 407 is no reason to go direct", arguments: [false, true])
    func rejected(_ isTunnel: Bool) throws {
        let nginx = try Nginx()
        let squid = try Squid(demanding: .basic)
        let more = """
            credentials: { staff: { username: \(Login.username), password: { value: "wrong" } } }
            rules: [{ space: { host: 127.0.0.1, port: \(squid.port), proxy: true }, use: staff }]
            """
        let proxy = try RunningProxy(rules([squid.port], last: "direct", more: more), workers: 1)
        let target = "127.0.0.1:\(nginx.port)"
        for _ in 0..<2 {
            let text =
                isTunnel
                ? request("CONNECT \(target) HTTP/1.1", ["Host: \(target)"])
                : request("GET http://\(target)/open/ HTTP/1.1", ["Host: \(target)"])
            #expect(try proxy.connect().exchange(text).status == 502)
        }
        #expect(nginx.log.entries.isEmpty)
    }

    @Test("R-1 what fails over keeps its body")
    func body() throws {
        let live = try ScriptedPeer { [.response(body: "\($0.body.count)")] }
        let proxy = try RunningProxy(rules([FreePort.reserve(), live.port]), workers: 1)
        let content = String(repeating: "x", count: 300_000)
        let text = request("POST \(target) HTTP/1.1", ["Host: origin.test", "Content-Length: 300000"], body: content)
        #expect(try proxy.connect().exchange(text).text == "300000")
    }

    @Test("R-1 a parent whose certificate is refused is passed over")
    func untrusted() throws {
        let authority = try TestAuthority()
        let squid = try Squid(demanding: .nothing, leaf: authority.leaf("parent", names: "DNS:localhost"))
        let live = try parent("second")
        let proxy = try RunningProxy(
            """
            proxies:
              secure: { url: "https://localhost:\(squid.port)" }
              plain: { url: "http://127.0.0.1:\(live.port)" }
            routes: [{ host: "*", via: [secure, plain] }]

            """,
            workers: 1
        )
        for _ in 0..<3 { #expect(try proxy.get(target).text == "second") }
        #expect(squid.log.entries.isEmpty)
    }
}
