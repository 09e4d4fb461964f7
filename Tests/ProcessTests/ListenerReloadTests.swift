import Support
import Testing

/// What a reload means for the ports that are open and for the connections that came by them.
@Suite struct ListenerReloadTests {
    private static func rules(_ listeners: String...) -> String {
        "version: 1\nstate: state\nlisteners:\n" + listeners.map { "  - \($0)\n" }.joined()
    }

    private static func listener(_ port: String, _ clients: String) -> String {
        "{ address: \"127.0.0.1:\(port)\", clients: [\(clients)] }"
    }

    @Test func `each port keeps its own clients when the file names them in another order`() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let closed = try FreePort.reserve()
        let open = Self.listener("$PORT", "127.0.0.1")
        let shut = Self.listener("\(closed)", "192.0.2.1")
        let proxy = try RunningProxy(Self.rules(open, shut))
        func statuses() throws -> [Int] {
            try [proxy.port, closed].map { port in
                let client = try HTTPClient(port: port)
                return try client.exchange("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: h\r\n\r\n").status
            }
        }
        #expect(try statuses() == [200, 403])
        try proxy.rewrite(Self.rules(shut, open))
        proxy.reload()
        try proxy.waitForLog("read again")
        #expect(try statuses() == [200, 403])
    }

    @Test func `a connection that is open falls under the clients of the new rules with its next request`() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy(Self.rules(Self.listener("$PORT", "127.0.0.1")))
        let client = try proxy.connect()
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(try client.exchange(request).status == 200)
        try proxy.rewrite(Self.rules(Self.listener("$PORT", "192.0.2.1")))
        proxy.reload()
        try proxy.waitForLog("read again")
        try eventually("the new rules hold", within: .seconds(10)) {
            try proxy.get("http://127.0.0.1:\(origin.port)/").status == 403
        }
        #expect(try client.exchange(request).status == 403)
    }

    @Test func `a changed address is told: it takes a restart`() throws {
        let proxy = try RunningProxy(Self.rules(Self.listener("$PORT", "127.0.0.1")))
        try proxy.rewrite(Self.rules(Self.listener("\(try FreePort.reserve())", "127.0.0.1")))
        proxy.reload()
        try proxy.waitForLog("restart")
    }
}
