import Support
import Testing

/// Trust, certificates of ours, lists and pins that change while the proxy runs.
@Suite struct SecureReloadTests {
    static let authority = Result { try TestAuthority() }
    static let stranger = Result { try TestAuthority("Stranger") }
    private static let wrongPin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// A server that asks for a certificate, and a proxy whose files are its own to change.
    private final class Stage {
        let server: TestAuthority.Leaf
        let nginx: Nginx
        let folder: ScratchFolder
        let proxy: RunningProxy

        init(_ version: String) throws {
            let root = try authority.get()
            server = try root.leaf("localhost", names: "DNS:localhost")
            nginx = try Nginx(server, asks: true, protocols: version)
            folder = try ScratchFolder("reload")
            let own = try root.leaf("one", names: "DNS:me.test", purpose: .client)
            try folder.copy(own.certificate, to: "me.pem")
            try folder.copy(own.key, to: "me.key")
            try folder.copy(root.certificate, to: "anchors.pem")
            try folder.copy(root.revocationList([]), to: "list.pem")
            proxy = try RunningProxy(Stage.rules(folder, nginx), workers: 1)
        }

        static func rules(_ folder: ScratchFolder, _ nginx: Nginx, terms: String = "") -> String {
            """
            credentials: { me: { certificate: \(folder("me.pem")), private_key: { file: \(folder("me.key")) } } }
            rules: [{ space: { host: localhost, port: \(nginx.port), protocol: https }, use: me }]
            trust:
              - { host: localhost, anchors: { file: \(folder("anchors.pem")) },
                  revocation: { crl: \(folder("list.pem")) }\(terms) }

            """
        }

        func rules(_ terms: String = "") -> String { Self.rules(folder, nginx, terms: terms) }

        func get(_ path: String = "/open/") throws -> HTTPResponse {
            try proxy.get("https://\(nginx.authority)\(path)")
        }

        /// Asks for a reload and waits for its end; nothing of the proxy's own accord may come in between.
        func reload(_ outcome: String = "the rules were read again", while change: () throws -> Void) throws {
            let before = proxy.process.output.count
            // It looks at its files of its own accord, once a second: it gets them all at once.
            try proxy.process.standingStill(change)
            proxy.reload()
            try eventually("'\(outcome)'; it wrote:\n\(proxy.log)") {
                proxy.process.output.dropFirst(before).contains(outcome)
            }
            // The loop has been told by now; behind an answer of its own it has also heard.
            _ = try proxy.get("http://127.0.0.1:1/")
        }

        /// Whose certificate the server saw last, of `count` requests.
        func shown(_ count: Int) throws -> String {
            try nginx.log.wait(for: count).last?.authorization ?? ""
        }
    }

    @Test(
        "T-11 another certificate of ours, anchor, list and pin count for what comes next, pooled connection or not",
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func changes(_ version: String) throws {
        let stage = try Stage(version)
        let root = try Self.authority.get()
        let client = try stage.proxy.connect()
        func next() throws -> HTTPResponse {
            let host = stage.nginx.authority
            return try client.exchange(request("GET https://\(host)/open/ HTTP/1.1", ["Host: \(host)"]))
        }
        for count in 1...2 {
            #expect(try next().status == 200)
            #expect(try stage.shown(count) == ". CN=one")
        }
        let other = try root.leaf("two", names: "DNS:me.test", purpose: .client)
        try stage.reload {
            try stage.folder.copy(other.certificate, to: "me.pem")
            try stage.folder.copy(other.key, to: "me.key")
        }
        #expect(try next().status == 200)
        // A session of the other certificate's isn't resumed either.
        #expect(try stage.shown(3) == ". CN=two")
        try stage.reload { try stage.folder.copy(root.revocationList([stage.server]), to: "list.pem") }
        #expect(try next()["Proxy-Status"]?.contains("chain.revoked") == true)
        try stage.reload { try stage.folder.copy(root.revocationList([]), to: "list.pem") }
        #expect(try next().status == 200)
        try stage.reload { try stage.folder.copy(Self.stranger.get().certificate, to: "anchors.pem") }
        #expect(try next()["Proxy-Status"]?.contains("details=\"chain.untrusted") == true)
        try stage.reload {
            try stage.folder.copy(root.certificate, to: "anchors.pem")
            try stage.proxy.rewrite(stage.rules(", pins: [\(Self.wrongPin)]"))
        }
        #expect(try next()["Proxy-Status"]?.contains("pin.mismatch") == true)
        try stage.reload { try stage.proxy.rewrite(stage.rules(", pins: [\"\(root.pin(of: root.certificate))\"]")) }
        #expect(try next().status == 200)
        #expect(try stage.nginx.log.wait(for: 5).count == 5)
    }

    @Test(
        "T-11 a change of which one part is broken changes nothing at all",
        arguments: ["me.pem", "anchors.pem", "list.pem"]
    )
    func broken(_ name: String) throws {
        let stage = try Stage("TLSv1.2 TLSv1.3")
        #expect(try stage.get().status == 200)
        try stage.reload("the rules in force go on") {
            // Each of these would be seen.
            try stage.folder.copy(Self.authority.get().revocationList([stage.server]), to: "list.pem")
            try stage.folder.copy(Self.stranger.get().certificate, to: "anchors.pem")
            try stage.proxy.rewrite(stage.rules(", pins: [\(Self.wrongPin)]"))
            try stage.folder.write("-----BEGIN CERTIFICATE-----\nAAAA\n", to: name)
        }
        for count in 2...3 {
            #expect(try stage.get().status == 200)
            #expect(try stage.shown(count).hasSuffix("CN=one"))
        }
    }

    @Test("T-5 a connection that was at work when its policy changed serves nothing that comes behind")
    func atWork() throws {
        let stage = try Stage("TLSv1.3")
        let client = try stage.proxy.connect()
        let host = stage.nginx.authority
        try client.send(request("GET https://\(host)/open/large HTTP/1.1", ["Host: \(host)"]))
        let head = try client.receiveHead().head
        #expect(head.startLine.contains(" 200 "))
        try stage.reload { try stage.proxy.rewrite(stage.rules(", pins: [\(Self.wrongPin)]")) }
        try client.drop(bytes: #require(head["Content-Length"].flatMap { Int($0) }))
        let next = try client.exchange(request("GET https://\(host)/open/ HTTP/1.1", ["Host: \(host)"]))
        #expect(next["Proxy-Status"]?.contains("pin.mismatch") == true)
        #expect(try stage.nginx.log.wait(for: 1).map(\.target) == ["/open/large"])
    }

    @Test(
        "T-8 a session is resumed under the same policy and certificate only, as the server sees it",
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func apart(_ version: String) throws {
        let root = try Self.authority.get()
        let nginx = try Nginx(
            root.leaf("localhost", names: "DNS:localhost"),
            asks: true,
            protocols: version
        )
        let names = ["one", "two"]
        let own = try names.map { try root.leaf($0, names: "DNS:me.test", purpose: .client) }
        let credentials = zip(names, own).map {
            "\($0): { certificate: \($1.certificate), private_key: { file: \($1.key) } }"
        }
        // The first two ports have one policy, the third has another; the fourth's certificate is another.
        let terms = ["", "", ", strict: true", ""]
        let uses = ["one", "one", "one", "two"]
        let ports = 1001...1004
        let trust = zip(ports, terms).map {
            "{ host: localhost, port: \($0), anchors: { file: \(root.certificate) }\($1) }"
        }
        let rules = zip(ports, uses).map { "{ space: { host: localhost, port: \($0), protocol: https }, use: \($1) }" }
        let proxy = try RunningProxy(
            """
            credentials: { \(credentials.joined(separator: ", ")) }
            rules: [\(rules.joined(separator: ", "))]
            trust: [\(trust.joined(separator: ", "))]
            routes: [{ host: localhost, to: { address: 127.0.0.1, port: \(nginx.port) } }]

            """,
            workers: 1
        )
        for port in [1001, 1001, 1003, 1004, 1003, 1004, 1002] {
            #expect(try proxy.get("https://localhost:\(port)/close/index.html").status == 200)
        }
        let seen = try nginx.log.wait(for: 7).map(\.authorization)
        #expect(
            seen == [". CN=one", "r CN=one", ". CN=one", ". CN=two", "r CN=one", "r CN=two", "r CN=one"]
        )
    }
}

extension ScratchFolder {
    /// Puts a copy of another file here, at once as a whole.
    fileprivate func copy(_ path: String, to name: String) throws {
        let bytes = try #require(contents(of: path), "\(path)")
        try write(String(decoding: bytes, as: UTF8.self), to: name, mode: 0o600)
    }
}
