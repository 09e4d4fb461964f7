import Glibc
import Support
import Testing

/// Routes that PAC files find, with the built program and its own process for them.
@Suite struct PACTests {
    private static let function = "function FindProxyForURL(url, host) "
    private static let routes = """
        routes: [ { host: "*", pac: { file: proxy.pac }, via: instead } ]

        """

    /// A parent that says its name, and what it was asked for.
    private func parent(_ name: String) throws -> ScriptedPeer {
        try ScriptedPeer { [.response(body: "\(name) \($0.target)")] }
    }

    private func proxies(_ instead: ScriptedPeer, _ more: String = "") -> String {
        """
        proxies:
          instead: { url: "http://127.0.0.1:\(instead.port)" }
        \(more)

        """
    }

    private func start(_ script: String, _ instead: ScriptedPeer, _ more: String = "") throws -> RunningProxy {
        try RunningProxy(proxies(instead, more) + Self.routes, workers: 2, files: ["proxy.pac": script])
    }

    @Test(
        "R-3 a PAC file says which way a request goes, and is told the URL without its query, for https without its path"
    )
    func ways() throws {
        let (one, two, instead) = (try parent("one"), try parent("two"), try parent("instead"))
        let proxy = try start(
            Self.function + """
                {
                  if (host == "direct.example" || host == "127.0.0.1") return "DIRECT";
                  if (url == "http://a.example/path") return "PROXY 127.0.0.1:\(one.port)";
                  if (url == "https://b.example:8443/") return "HTTP 127.0.0.1:\(two.port); DIRECT";
                  if (url.indexOf("?") >= 0 || url.indexOf("@") >= 0) return "PROXY 127.0.0.1:1";
                  return null;
                }
                """,
            instead
        )
        #expect(try proxy.get("http://a.example/path?query").text == "one http://a.example/path?query")
        let client = try proxy.connect()
        let opened = try client.exchange("CONNECT b.example:8443 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(opened.status == 200 || opened.status == 502)
        #expect(two.requests.map(\.target) == ["b.example:8443"])
        #expect(try proxy.get("\(one.url)/direct").text == "one /direct")
        #expect(instead.requests.isEmpty)
    }

    @Test("R-3 a proxy that the rule file names too is that one, with its login")
    func named() throws {
        let demand = Demand(scheme: "Basic", status: 407)
        let (guarded, other, instead) = (try demand.takingPeer(), try demand.takingPeer(), try parent("instead"))
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: user, password: { file: secret } } }
            rules: [ { space: { host: 127.0.0.1, port: \(other.port), proxy: true }, use: staff } ]
            """ + "\n"
                + proxies(instead, "  corp: { url: \"http://127.0.0.1:\(guarded.port)\", use: staff }") + Self.routes,
            workers: 1,
            files: [
                "secret": "right",
                "proxy.pac": Self.function
                    + "{ return 'PROXY 127.0.0.1:' + (host == 'a.example' ? \(guarded.port) : \(other.port)) }",
            ]
        )
        #expect(try proxy.get("http://a.example/").text == "in")
        #expect(try proxy.get("http://b.example/").text == "in")
        try proxy.waitForLog("route=corp")
        try proxy.waitForLog("route=\"pac 127.0.0.1:\(other.port)\"")
    }

    @Test("C-3 a PAC file that loops for ever at one host costs that one its deadline, once, and no other its way")
    func loops() throws {
        let (one, instead) = (try parent("one"), try parent("instead"))
        let other = try ScriptedPeer { _ in [.response(body: "other")] }
        let routes = """
            routes:
              - { host: 127.0.0.1, via: direct }
              - { host: "*", pac: { file: proxy.pac }, via: instead }
            """
        let script =
            Self.function + "{ if (host == 'loop.example') while (true) {} return 'PROXY 127.0.0.1:\(one.port)' }"
        let proxy = try RunningProxy(proxies(instead) + routes, workers: 1, files: ["proxy.pac": script])
        #expect(try proxy.get("http://a.example/").text.hasPrefix("one"))
        let times = try concurrently(2) { index -> Duration in
            if index == 1 { pause(.milliseconds(500)) }
            let began = ContinuousClock.now
            let url = index == 0 ? "http://loop.example/" : "\(other.url)/"
            let text = try proxy.get(url).text
            #expect(text.hasPrefix(index == 0 ? "instead" : "other"))
            return .now - began
        }
        #expect((.seconds(1.9) ... .seconds(4)).contains(times[0]) && times[1] < .seconds(1))
        let began = ContinuousClock.now
        #expect(try proxy.get("http://loop.example/").text.hasPrefix("instead"))
        #expect(try proxy.get("http://b.example/").text.hasPrefix("one"))
        // What was known before holds.
        #expect(try proxy.get("http://a.example/").text.hasPrefix("one"))
        #expect(.now - began < .seconds(1))
    }

    @Test("C-3 who waits behind a host at which a PAC file loops, or whose process is killed, is asked again")
    func askedAgain() throws {
        let (one, instead) = (try parent("one"), try parent("instead"))
        let script =
            Self.function + "{ if (host == 'loop.example') while (true) {} return 'PROXY 127.0.0.1:\(one.port)' }"
        let proxy = try start(script, instead)
        let texts = try concurrently(4) { index in
            if index > 0 { pause(.milliseconds(500)) }
            return try proxy.get(index == 0 ? "http://loop.example/" : "http://h\(index).example/").text
        }
        #expect(texts.map { String($0.prefix(3)) } == ["ins", "one", "one", "one"])
        for round in 0..<3 {
            #expect(killEvaluators(of: proxy) == 1)
            #expect(try proxy.get("http://k\(round).example/").text.hasPrefix("one"))
        }
    }

    /// Ends the processes that run PAC files for a proxy, and gives their number.
    private func killEvaluators(of proxy: RunningProxy) -> Int {
        names(in: "/proc").compactMap { pid_t($0) }.filter { process in
            let status = String(decoding: contents(of: "/proc/\(process)/status") ?? [], as: UTF8.self)
            return status.contains("PPid:\t\(proxy.process.pid)\n") && kill(process, SIGKILL) == 0
        }.count
    }

    @Test(
        "R-3 what defines no FindProxyForURL is no PAC file, and leaves the last good one",
        arguments: [
            "", "var x = 1;", "\"maintenance\"", "<html><head><title>Log in</title></head></html>",
            "var FindProxyForURL = 1",
        ]
    )
    func noFunction(_ text: String) throws {
        let (one, instead) = (try parent("one"), try parent("instead"))
        let proxy = try start(Self.function + "{ return 'PROXY 127.0.0.1:\(one.port)' }", instead)
        #expect(try proxy.get("http://a.example/").text.hasPrefix("one"))
        try proxy.folder.write(text, to: "proxy.pac")
        try proxy.waitForLog("the last good one is kept")
        #expect(try proxy.get("http://b.example/").text.hasPrefix("one"))
        let other = try start(text, instead)
        #expect(try other.get("http://a.example/").text.hasPrefix("instead"))
    }

    @Test(
        "R-3 without an answer 'via' holds",
        arguments: [
            "{ throw 'no' }", "{ return nothing() }", "{ return 'SOCKS4 127.0.0.1:1; NONSENSE' }", "{ return {} }",
        ]
    )
    func instead(_ body: String) throws {
        let instead = try parent("instead")
        let proxy = try start(Self.function + body, instead)
        #expect(try proxy.get("http://a.example/").text == "instead http://a.example/")
        #expect(try proxy.get("http://a.example/").text == "instead http://a.example/")
        try proxy.waitForLog("the PAC file")
    }

    @Test("R-3 a missing file, and one with a mistake, leave 'via', until it is there")
    func missing() throws {
        let (one, instead) = (try parent("one"), try parent("instead"))
        let proxy = try RunningProxy(proxies(instead) + Self.routes, workers: 1)
        #expect(try proxy.get("http://a.example/").text.hasPrefix("instead"))
        try proxy.folder.write("function FindProxyForURL(", to: "proxy.pac")
        try proxy.waitForLog("the PAC file")
        #expect(try proxy.get("http://a.example/").text.hasPrefix("instead"))
        try proxy.folder.write(Self.function + "{ return 'PROXY 127.0.0.1:\(one.port)' }", to: "proxy.pac")
        try eventually("the new file") { try proxy.get("http://a.example/").text.hasPrefix("one") }
    }

    @Test("R-3 a file that changes holds within seconds, whatever was known; one with a mistake changes nothing")
    func changes() throws {
        let (one, two, instead) = (try parent("one"), try parent("two"), try parent("instead"))
        let proxy = try start(Self.function + "{ return 'PROXY 127.0.0.1:\(one.port)' }", instead)
        #expect(try proxy.get("http://a.example/").text.hasPrefix("one"))
        try proxy.folder.write(Self.function + "{ return 'PROXY 127.0.0.1:\(two.port)' }", to: "proxy.pac")
        try eventually("the new file") { try proxy.get("http://a.example/").text.hasPrefix("two") }
        try proxy.folder.write(Self.function + "{ return ", to: "proxy.pac")
        try proxy.waitForLog("the last good one is kept")
        #expect(try proxy.get("http://b.example/").text.hasPrefix("two"))
    }

    @Test("R-3 a file in cp1252, one in UTF-8 and one with a byte order mark say the same")
    func charsets() throws {
        let (one, instead) = (try parent("one"), try parent("instead"))
        // A comment, a name and a text with characters beyond ASCII.
        let script =
            "// L\u{f6}sung f\u{fc}r alle\n" + Self.function
            + "{ var stra\u{df}e = 'M\u{fc}nchen \u{20ac}'; return stra\u{df}e.length == 9 ? 'PROXY 127.0.0.1:\(one.port)' : 'NONE' }"
        let cp1252 = script.unicodeScalars.map { $0 == "\u{20ac}" ? 0x80 : UInt8(truncatingIfNeeded: $0.value) }
        for bytes in [cp1252, Array(script.utf8), [0xef, 0xbb, 0xbf] + Array(script.utf8)] {
            let server = try ScriptedPeer { _ in
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"
                return [.sendBytes(Array(head.utf8) + bytes)]
            }
            let routes = "routes: [ { host: \"*\", pac: { url: \"\(server.url)/proxy.pac\" }, via: instead } ]\n"
            let proxy = try RunningProxy(proxies(instead) + routes, workers: 1)
            #expect(try proxy.get("http://a.example/").text.hasPrefix("one"))
            #expect(server.requests.map(\.target) == ["/proxy.pac"])
        }
    }

    @Test("R-3 the first requests wait for the first fetch; one that fails leaves 'via', and is tried again")
    func fetched() throws {
        let (one, instead) = (try parent("one"), try parent("instead"))
        let script = Self.function + "{ return 'PROXY 127.0.0.1:\(one.port)' }"
        let isThere = Locked(false)
        let server = try ScriptedPeer { _ in
            isThere.withLock { $0 }
                ? [.pause(.milliseconds(700)), .response(200, ["Content-Type: text/plain"], body: script)]
                : [.response(404)]
        }
        let routes = "routes: [ { host: \"*\", pac: { url: \"\(server.url)/p\", refresh: 1s }, via: instead } ]\n"
        let proxy = try RunningProxy(proxies(instead) + routes, workers: 1)
        #expect(try proxy.get("http://a.example/").text.hasPrefix("instead"))
        isThere.withLock { $0 = true }
        try eventually("the next fetch", within: .seconds(20)) {
            try proxy.get("http://a.example/").text.hasPrefix("one")
        }
        isThere.withLock { $0 = false }
        try proxy.waitForLog("the last good one is kept")
        #expect(try proxy.get("http://b.example/").text.hasPrefix("one"))
        isThere.withLock { $0 = true }
        let late = try RunningProxy(proxies(instead) + routes, workers: 1)
        #expect(try late.get("http://a.example/").text.hasPrefix("one"))
    }

    @Test("R-3 dead proxies of an answer are passed over")
    func dead() throws {
        let (one, instead) = (try parent("one"), try parent("instead"))
        let refused = try FreePort.reserve()
        let script =
            Self.function
            + "{ return 'PROXY 127.0.0.1:\(refused); SOCKS4 127.0.0.1:9; PROXY 127.0.0.1:\(one.port); DIRECT' }"
        let proxy = try start(script, instead)
        for _ in 0..<3 { #expect(try proxy.get("http://a.example/").text.hasPrefix("one")) }
        try proxy.waitForLog("passed over: SOCKS4 127.0.0.1:9")
        #expect(instead.requests.isEmpty)
    }

    @Test("T-7 the trust policy of its host guards a PAC file's URL", arguments: [true, false])
    func pinned(_ isRight: Bool) throws {
        let authority = try TestAuthority()
        let leaf = try authority.leaf("pac", names: "DNS:localhost")
        let server = try Nginx(leaf)
        let (one, instead) = (try parent("one"), try parent("instead"))
        try server.serve(Self.function + "{ return 'PROXY 127.0.0.1:\(one.port)' }", as: "proxy.pac")
        let pin =
            isRight ? try authority.pin(of: leaf.certificate) : "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let rules = """
            trust: [ { host: localhost, anchors: { file: \(authority.certificate) }, pins: ["\(pin)"] } ]
            routes: [ { host: "*", pac: { url: "https://\(server.authority)/open/proxy.pac" }, via: instead } ]

            """
        let proxy = try RunningProxy(proxies(instead) + rules, workers: 1)
        #expect(try proxy.get("http://a.example/").text.hasPrefix(isRight ? "one" : "instead"))
        if !isRight { try proxy.waitForLog("pin.mismatch") }
        #expect(server.log.entries.isEmpty == !isRight)
    }
}
