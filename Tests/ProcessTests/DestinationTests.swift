import Support
import Testing

/// Which destinations may be reached.
@Suite struct DestinationTests {
    private func expectRefusal(
        _ response: HTTPResponse,
        _ error: String,
        _ reason: String = "access.destination",
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 403, sourceLocation: location)
        let status = response["Proxy-Status"] ?? ""
        #expect(
            status.contains("error=\(error)") && status.contains("\"\(reason): "),
            "\(status)",
            sourceLocation: location
        )
    }

    private func connect(_ proxy: RunningProxy, _ authority: String) throws -> HTTPResponse {
        try proxy.connect().exchange(request("CONNECT \(authority) HTTP/1.1", ["Host: \(authority)"]))
    }

    @Test("R-6 what deny names is refused, and with allow all else, by name, port, path and for CONNECT")
    func lists() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let server = try NameServer([
            "a.test": .init(a: ["127.0.0.1"]), "b.test": .init(a: ["127.0.0.1"]), "c.a.test": .init(a: ["127.0.0.1"]),
        ])
        let proxy = try RunningProxy(
            """
            dns: { servers: ["\(server.authority)"] }
            access:
              destinations:
                allow: [.a.test, { host: b.test, path: /shop }]
                deny: [c.a.test]
            """
        )
        #expect(try proxy.get("http://a.test:\(origin.port)/").status == 200)
        expectRefusal(try proxy.get("http://c.a.test:\(origin.port)/"), "http_request_denied")
        expectRefusal(try proxy.get("http://127.0.0.1:\(origin.port)/"), "http_request_denied")
        #expect(try proxy.get("http://b.test:\(origin.port)/shop/1").status == 200)
        expectRefusal(try proxy.get("http://b.test:\(origin.port)/other"), "http_request_denied")
        expectRefusal(try proxy.get("http://b.test:\(origin.port)/shop/../other"), "http_request_denied")
        expectRefusal(try connect(proxy, "b.test:\(origin.port)"), "http_request_denied")
        expectRefusal(try connect(proxy, "c.a.test:\(origin.port)"), "http_request_denied")
        #expect(try connect(proxy, "a.test:\(origin.port)").status == 200)
        #expect(Set(origin.requests.map(\.target)) == ["/", "/shop/1"])
    }

    @Test("R-6 ports are refused by the manner of the request")
    func ports() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let proxy = try RunningProxy("access: { ports: { connect: [443], plain: [\(origin.port)] } }")
        #expect(try proxy.get("\(origin.url)/").status == 200)
        expectRefusal(try proxy.get("http://127.0.0.1:1/"), "http_request_denied", "access.port")
        expectRefusal(try connect(proxy, origin.authority), "http_request_denied", "access.port")
    }

    @Test("R-6 networks are judged by the addresses of names, and a name with others is reached there")
    func networks() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let server = try NameServer([
            "inner.test": .init(a: ["127.0.0.9"]),
            "both.test": .init(a: ["127.0.0.9", "127.0.0.1"]),
            "outer.test": .init(a: ["127.0.0.1"]),
            "mapped.test": .init(aaaa: ["::ffff:127.0.0.9"]),
        ])
        let proxy = try RunningProxy(
            """
            dns: { servers: ["\(server.authority)"] }
            access: { destinations: { allow: [127.0.0.1, both.test], deny: [127.0.0.9/32] } }
            """
        )
        #expect(try proxy.get("http://outer.test:\(origin.port)/").status == 200)
        #expect(try proxy.get("http://both.test:\(origin.port)/").status == 200)
        for name in ["inner.test", "mapped.test"] {
            expectRefusal(try proxy.get("http://\(name):\(origin.port)/"), "destination_ip_prohibited")
            expectRefusal(try connect(proxy, "\(name):\(origin.port)"), "destination_ip_prohibited")
        }
        expectRefusal(try proxy.get("http://127.0.0.9:\(origin.port)/"), "http_request_denied")
    }

    @Test(
        "R-6 with a parent, names that lead where deny forbids are refused, and those that can't be resolved are not"
    )
    func parents() throws {
        let parent = try ScriptedPeer { _ in [.response()] }
        let server = try NameServer([
            "inner.test": .init(a: ["10.1.2.3"]), "outer.test": .init(a: ["192.0.2.1"]),
            "broken.test": .init { $0.rcode = 2 },
        ])
        let names = "dns: { servers: [\"\(server.authority)\"] }\n"
        let proxy = try RunningProxy(
            RunningProxy.through(parent.port, names + "access: { destinations: { deny: [10.0.0.0/8, 127.0.0.0/8] } }")
        )
        for name in ["outer.test", "broken.test", "gone.test"] {
            #expect(try proxy.get("http://\(name)/").status == 200, "\(name)")
        }
        expectRefusal(try proxy.get("http://inner.test/"), "destination_ip_prohibited")
        expectRefusal(try connect(proxy, "inner.test:443"), "destination_ip_prohibited")
        expectRefusal(try proxy.get("http://10.0.0.1/"), "http_request_denied")
        // The parent itself, at a denied address, is the operator's.
        #expect(parent.requests.count == 3)
        let quiet = try RunningProxy(
            RunningProxy.through(parent.port, names + "access: { destinations: { deny: [denied.test] } }")
        )
        #expect(try quiet.get("http://inner.test/").status == 200)
        #expect(!server.questions.contains { $0.hasSuffix("denied.test") })
        #expect(server.questions.count { $0 == "udp a inner.test" } <= 2)
    }

    @Test("R-6 with a parent an allowed network lets no name through")
    func parentsAndAllow() throws {
        let parent = try ScriptedPeer { _ in [.response()] }
        let rules = "access: { destinations: { allow: [192.0.2.0/24] } }"
        let proxy = try RunningProxy(RunningProxy.through(parent.port, rules))
        #expect(try proxy.get("http://192.0.2.1/").status == 200)
        expectRefusal(try proxy.get("http://a.test/"), "destination_ip_prohibited")
        #expect(parent.requests.count == 1)
    }

    @Test("R-7 a name that is public at first and private when asked again is judged by what is dialled")
    func rebinding() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let server = try NameServer([
            "turn.test": .init {
                $0.a = [["127.0.0.1"], ["169.254.169.254"]]
                $0.ttl = 0
            },
            "metadata.test": .init(a: ["169.254.169.254"]),
            "spelt.test": .init(aaaa: ["64:ff9b::a9fe:a9fe"]),
        ])
        let proxy = try RunningProxy("dns: { servers: [\"\(server.authority)\"] }")
        #expect(try proxy.get("http://turn.test:\(origin.port)/").status == 200)
        pause(.milliseconds(1200))
        expectRefusal(
            try proxy.get("http://turn.test:\(origin.port)/", ["Cache-Control: no-cache"], method: "POST"),
            "destination_ip_prohibited"
        )
        for name in [
            "metadata.test", "spelt.test", "169.254.169.254", "[::ffff:169.254.169.254]", "[2002:a9fe:a9fe::]",
        ] {
            expectRefusal(try proxy.get("http://\(name)/"), "destination_ip_prohibited")
        }
        #expect(origin.requests.count == 1)
    }

    @Test("R-7 a reload that denies an address leaves no connection to it in use")
    func reload() throws {
        let origin = try ScriptedPeer { _ in [.response()] }
        let server = try NameServer(["a.test": .init(a: ["127.0.0.1"])])
        let names = "dns: { servers: [\"\(server.authority)\"] }\n"
        let proxy = try RunningProxy(names)
        let client = try proxy.connect()
        let text = request("GET http://a.test:\(origin.port)/ HTTP/1.1", ["Host: a.test:\(origin.port)"])
        #expect(try client.exchange(text).status == 200)
        try proxy.rewrite(names + "access: { destinations: { deny: [127.0.0.0/8] } }")
        proxy.reload()
        try proxy.waitForLog("the rules were read again")
        expectRefusal(try client.exchange(text), "destination_ip_prohibited")
        #expect(origin.requests.count == 1)
    }

    @Test("R-7 clients of other machines reach none of this one's services, nor a connection of those who may")
    func otherMachines() throws {
        let folder = try ScratchFolder("destinations")
        try folder.folder("site")
        try folder.write(#"{ "own.test": { "a": ["127.0.0.1"] } }"#, to: "zone")
        try folder.write(
            """
            version: 1
            listeners:
              - { address: "127.0.0.1:3128" }
              - { address: "10.98.0.1:3128" }
              - { address: "10.98.0.1:3129", mode: fixed, origin: "http://own.test:8000", names: [10.98.0.1] }
            access: { clients: [10.98.0.0/24, 127.0.0.0/8] }
            dns: { servers: ["127.0.0.1:5300"] }
            """,
            to: "rules.yaml",
            mode: 0o600
        )
        let arguments = [
            "--net", "/bin/sh", Fixture.path("destinations/stage.sh"), folder.path, try Binary.path(),
            Fixture.path("nameserver/nameserver.py"),
        ]
        let stage = try TestProcess("unshare", arguments)
        _ = try stage.waitForExit(within: .seconds(60))
        let lines = stage.output.split(separator: "\n").map(String.init)
        guard stage.errors.contains("unshare failed") == false, lines.first?.hasPrefix("skipped") != true else {
            print("skipped: no network namespaces here: \(stage.output)\(stage.errors)")
            return
        }
        var expected: [String] = []
        for host in ["own.test", "127.0.0.1", "10.98.0.1", "[::ffff:127.0.0.1]", "0.0.0.0"] {
            expected += ["far \(host) 403", "near \(host) 200", "again \(host) 403"]
        }
        #expect(lines == expected + ["far fixed 200"], "\(stage.errors)")
    }
}
