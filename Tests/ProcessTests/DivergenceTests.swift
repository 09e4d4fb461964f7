import Support
import Testing

/// Requests that name one host in one place and another elsewhere.
@Suite struct DivergenceTests {
    /// Where a request that is worded so ends: at whom the credential is for, at somebody else, or nowhere.
    enum End { case own, other, nowhere }

    @Test(
        "A-22 of a proxy's client the target alone decides what is dialled, matched and sent as Host",
        arguments: [
            ("GET http://localhost:OWN/", "evil.test", .own), ("GET http://LOCALHOST:OWN/", "127.0.0.1:OTHER", .own),
            ("GET http://localhost.:OWN/", "localhost:OTHER", .own),
            ("GET http://127.0.0.1:OTHER/", "localhost:OWN", .other),
            ("GET http://127.0.0.1:OTHER/", "localhost", .other),
            ("GET http://localhost:OTHER/", "localhost:OWN", .other),
            ("GET http://localhost:OTHER/http://localhost:OWN/", "localhost:OWN", .other),
            ("GET http://localhost:OTHER?http://localhost:OWN/", "localhost:OWN", .other),
            ("GET http://localhost:OWN@127.0.0.1:OTHER/", "localhost:OWN", .nowhere),
            ("GET http://localhost:OWN%40127.0.0.1:OTHER/", "localhost:OWN", .nowhere),
            ("GET http://localhost:OWN\\@127.0.0.1:OTHER/", "localhost:OWN", .nowhere),
            ("GET http://127.0.0.1:OTHER#@localhost:OWN/", "localhost:OWN", .nowhere),
            ("GET http://[::1%25lo]:OWN/", "localhost:OWN", .nowhere),
            ("GET http://[::1%lo]:OWN/", "localhost:OWN", .nowhere),
            ("GET http://localhost..:OWN/", "localhost:OWN", .nowhere),
            ("GET http://127.1:OWN/", "localhost:OWN", .nowhere),
            ("GET http://2130706433:OWN/", "localhost:OWN", .nowhere),
            ("GET http://0x7f.1:OWN/", "localhost:OWN", .nowhere),
            ("GET http://localhöst:OWN/", "localhost:OWN", .nowhere),
            ("GET http://localhost%00:OWN/", "localhost:OWN", .nowhere),
            ("GET http://localhost:OWN:OTHER/", "localhost:OWN", .nowhere),
            ("GET //localhost:OWN/", "localhost:OWN", .nowhere),
            ("GET /", "localhost:OWN", .nowhere), ("GET http://localhost:0OWN/", "localhost:OWN", .nowhere),
        ] as [(String, String, End)]
    )
    func forward(_ line: String, _ host: String, _ end: End) throws {
        let own = try ScriptedPeer { request in
            request["Authorization"] == nil ? [.unauthorized("Basic realm=\"r\"")] : [.response()]
        }
        let other = try ScriptedPeer { _ in [.unauthorized("Basic realm=\"r\"")] }
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            rules: [{ space: { host: localhost, port: \(own.port) }, use: staff, cleartext: true }]
            access: { destinations: { allow: [{ host: "*" }] } }

            """,
            workers: 1,
            files: ["secret": Login.password]
        )
        // So that the credential would go ahead.
        #expect(try proxy.get("http://localhost:\(own.port)/").status == 200)
        own.forget()
        func fill(_ text: String) -> String {
            text.replacing("OWN", with: "\(own.port)").replacing("OTHER", with: "\(other.port)")
        }
        let client = try proxy.connect()
        try client.send("\(fill(line)) HTTP/1.1\r\nHost: \(fill(host))\r\n\r\n")
        let status = try client.receive().status
        switch end {
        case .own:
            #expect(status == 200 && own.requests.count == 1 && other.requests.isEmpty)
            let sent = own.requests.first?["Host"]?.lowercased()
            #expect(sent == "localhost:\(own.port)" || sent == "localhost.:\(own.port)")
        case .other:
            #expect(status == 401 && own.requests.isEmpty && other.requests.count == 1)
            #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
        case .nowhere:
            #expect((400...502).contains(status) && own.requests.isEmpty && other.requests.isEmpty, "\(status)")
        }
    }
}
