import Support
import Testing

/// Fields that a `header` credential adds.
@Suite struct HeaderCredentialTests {
    private static let key = "credentials: { key: { header: { X-Api-Key: { value: c4n4ry, prefix: 'Key ' } } } }\n"

    private static func rules(_ space: String, _ more: String = "") -> String {
        key + "rules: [ { space: { \(space) }, use: key\(more) } ]"
    }

    @Test("A-16 the field takes the place of the client's own, in head and trailers, in the rule's space only")
    func replaces() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy(Self.rules("host: 127.0.0.1, port: any, path: /in/"), workers: 1)
        let client = try proxy.connect()
        for path in ["/in/x", "/out"] {
            let lines = ["Host: h", "x-api-key: own", "Transfer-Encoding: chunked"]
            let body = "3\r\nabc\r\n0\r\nX-Api-Key: own\r\nX-Sum: 7\r\n\r\n"
            #expect(try client.exchange(request("POST \(origin.url)\(path) HTTP/1.1", lines, body: body)).status == 200)
        }
        let requests = try origin.waitForRequests(2)
        #expect(requests.map { $0.head.values("X-Api-Key") } == [["Key c4n4ry"], ["own"]])
        #expect(requests.map(\.body.trailers) == [["X-Sum: 7"], ["X-Api-Key: own", "X-Sum: 7"]])
        #expect(!proxy.log.contains("c4n4ry"))
    }

    @Test("A-14 without TLS the field stays here, which the response's Proxy-Status and explain say")
    func cleartext() throws {
        let origin = try ScriptedPeer { _ in [.response(403)] }
        let url = "http://localhost:\(origin.port)/"
        let strict = try RunningProxy(Self.rules("host: localhost, port: any"), workers: 1)
        let response = try strict.get(url)
        #expect(response.status == 403)
        #expect(reason(of: response) == "cleartext.refused")
        let file = strict.folder("countersign.yaml")
        #expect(try Binary.run(["explain", url, "--config", file]).output.contains("cleartext.refused"))
        let open = try RunningProxy(Self.rules("host: localhost, port: any", ", cleartext: [header]"), workers: 1)
        _ = try open.get(url)
        #expect(origin.requests.map { $0["X-Api-Key"] } == [nil, "Key c4n4ry"])
        let explained = try Binary.run(["explain", url, "--config", open.folder("countersign.yaml")])
        #expect(explained.output.contains("x-api-key: ***") && !explained.output.contains("c4n4ry"))
    }

    @Test("A-15 a request from another site gets no field")
    func withheld() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy(Self.rules("host: 127.0.0.1, port: any"), workers: 1)
        _ = try proxy.get("\(origin.url)/", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"])
        _ = try proxy.get("\(origin.url)/")
        #expect(origin.requests.map { $0["X-Api-Key"] } == [nil, "Key c4n4ry"])
    }

    @Test("A-26 TRACE gets no field")
    func trace() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy(Self.rules("host: 127.0.0.1, port: any") + "\nhttp: { trace: true }", workers: 1)
        _ = try proxy.get("\(origin.url)/", method: "TRACE")
        #expect(origin.requests.map { $0["X-Api-Key"] } == [nil])
    }

    @Test(
        "A-23 for a field the client's own is replaced, kept or refused, and a placeholder always replaced",
        arguments: ["replace", "keep", "refuse"]
    )
    func policies(_ policy: String) throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let more = ", client_credential: \(policy), placeholder: dummy"
        let proxy = try RunningProxy(Self.rules("host: 127.0.0.1, port: any", more), workers: 1)
        let response = try proxy.get("\(origin.url)/", ["X-Api-Key: own"])
        #expect(response.status == (policy == "refuse" ? 403 : 200))
        if policy == "refuse" { #expect(reason(of: response) == "credential.client-refused") }
        #expect(origin.requests.map { $0["X-Api-Key"] } == ["replace": ["Key c4n4ry"], "keep": ["own"]][policy] ?? [])
        origin.forget()
        #expect(try proxy.get("\(origin.url)/", ["X-Api-Key: dummy"]).status == 200)
        #expect(origin.requests.map { $0["X-Api-Key"] } == ["Key c4n4ry"])
    }

    @Test("A-16 a parent's field goes to the parent with CONNECT and with any other request")
    func parent() throws {
        let parent = try ScriptedPeer { request in [.response(request.method == "CONNECT" ? 403 : 200)] }
        let proxy = try RunningProxy(
            Self.key
                + """
                proxies: { p: { url: "http://127.0.0.1:\(parent.port)", use: key } }
                routes: [ { via: p } ]
                """,
            workers: 1
        )
        #expect(try proxy.get("http://a.example/").status == 200)
        _ = try proxy.connect().exchange(request("CONNECT a.example:443 HTTP/1.1", ["Host: a.example:443"]))
        #expect(parent.requests.map { $0["X-Api-Key"] } == ["Key c4n4ry", "Key c4n4ry"])
    }

    @Test("A-11 a field that a program prints is read when it is first used, and again behind a 401")
    func printed() throws {
        let origin = try ScriptedPeer { request in
            [request["X-Api-Key"] == "1" ? .unauthorized("Basic realm=\"r\"") : .response()]
        }
        let folder = try ScratchFolder()
        let file = folder("count")
        let proxy = try RunningProxy(
            """
            credentials: { key: { header: { X-Api-Key: { exec: [sh, -c, 'echo x >> \(file); wc -l < \(file)'] } } } }
            rules: [ { space: { host: 127.0.0.1, port: any }, use: key } ]
            """,
            workers: 1
        )
        #expect(try proxy.get("\(origin.url)/").status == 401)
        for _ in 0..<2 { #expect(try proxy.get("\(origin.url)/").status == 200) }
        #expect(origin.requests.map { $0["X-Api-Key"] } == ["1", "2", "2"])
    }

    @Test("A-11 a field goes together with the answer to a challenge")
    func withAnswer() throws {
        let origin = try ScriptedPeer { request in
            [request["Authorization"] == nil ? .unauthorized("Basic realm=\"r\"") : .response()]
        }
        let proxy = try RunningProxy(
            """
            credentials:
              key: { header: { X-Api-Key: { value: c4n4ry } } }
              staff: { username: user, password: { value: right } }
            rules:
              - { space: { host: 127.0.0.1, port: any }, use: key }
              - { space: { host: 127.0.0.1, port: any }, use: staff }
            """,
            workers: 1
        )
        #expect(try proxy.get("\(origin.url)/").status == 200)
        #expect(origin.requests.map { $0["X-Api-Key"] } == ["c4n4ry", "c4n4ry"])
    }
}
