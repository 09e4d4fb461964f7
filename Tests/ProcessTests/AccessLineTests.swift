import Support
import Testing

/// The line that an exchange leaves in the log.
@Suite struct AccessLineTests {
    /// The value of a key in the last line of the access log.
    private func value(_ key: String, in proxy: RunningProxy) -> String? {
        guard let line = proxy.log.split(separator: "\n").last(where: { $0.contains(" access ") }) else { return nil }
        let field = line.split(separator: " ").first { $0.hasPrefix("\(key)=") }
        return field.map { String($0.dropFirst(key.count + 1)) }
    }

    @Test(
        "O-3 a request whose head is refused is told with its client and its time",
        arguments: ["GET http://h.test/ HTTP/1.1\r\nHost: h.test\r\nX : y\r\n\r\n", "G(T / HTTP/1.1\r\n\r\n"]
    )
    func refusedHead(_ head: String) throws {
        let proxy = try RunningProxy("")
        #expect(try proxy.connect().exchange(head).status == 400)
        try proxy.waitForLog(" status=400")
        #expect(value("client", in: proxy) == "127.0.0.1")
        let milliseconds = try #require(value("duration_ms", in: proxy).flatMap(Double.init))
        #expect(milliseconds < 60_000)
    }

    @Test(
        "S-5 a secret that an upstream echoes in its realm doesn't reach the log, at once or later",
        arguments: ["CanaryPw77", "dXNlcjpDYW5hcnlQdzc3", "Canary%50w77", "77wPyranaC"],
        ["text", "json"]
    )
    func echoedRealm(_ echo: String, _ format: String) throws {
        let origin = try ScriptedPeer { request in
            if request.target == "/first" && request["Authorization"] == nil { return [.unauthorized("Basic realm=r")] }
            return [.unauthorized("Basic realm=\"\(echo)\"")]
        }
        let rules = Demand.anyPort + "\nlog: { format: \(format) }"
        let proxy = try RunningProxy(rules, files: ["secret": "CanaryPw77"])
        for path in ["/first", "/later"] { #expect(try proxy.get(origin.url + path).status == 401) }
        try proxy.waitForLog("/later")
        #expect(!proxy.log.contains(echo))
        #expect(proxy.log.contains("origin http://127.0.0.1:\(origin.port)"))
    }

    @Test("O-3 a realm that a rule names is told with its space, of several challenges too")
    func namedRealm() throws {
        let origin = try ScriptedPeer { _ in [.unauthorized("Basic realm=other, Basic realm=\"the staff\"")] }
        let rules = """
            credentials: { staff: { username: user, password: { file: secret } } }
            rules: [ { space: { host: 127.0.0.1, port: any, realm: the staff }, use: staff } ]
            """
        let proxy = try RunningProxy(rules, files: ["secret": "wrong"])
        #expect(try proxy.get("\(origin.url)/").status == 401)
        try proxy.waitForLog("space=\"origin http://127.0.0.1:\(origin.port) the staff\"")
    }
}
