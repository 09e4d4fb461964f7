import Support
import Testing

/// Programs that trust our authority, know a proxy, and never heard of a password.
@Suite struct InterceptionClientsTests {
    /// Of the servers.
    static let authority = Result { try TestAuthority() }
    /// Ours, which only the clients trust.
    static let own = Result { try TestAuthority() }

    func proxy(_ port: UInt16, workers: Int = 1) throws -> RunningProxy {
        let own = try Self.own.get()
        let rules = """
            interception:
              authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }
              hosts: [localhost]
            trust: [{ host: localhost, anchors: { file: \(try Self.authority.get().certificate) } }]
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            rules: [{ space: { host: localhost, port: \(port), protocol: https }, use: staff }]

            """
        return try RunningProxy(rules, workers: workers, files: ["secret": Login.password])
    }

    func leaf() throws -> TestAuthority.Leaf {
        try Self.authority.get().leaf("clients-\(try FreePort.reserve())", names: "DNS:localhost")
    }

    @Test("I-2 a real client gets what Basic guards behind TLS", arguments: TrustingClient.allCases)
    func basic(_ client: TrustingClient) throws {
        let server = try Nginx(leaf())
        let proxy = try proxy(server.port)
        let anchor = try Self.own.get().certificate
        let body = try client.get("https://\(server.authority)/basic/", proxy: proxy.port, trusting: anchor)
        #expect(body == "nginx basic\n")
        #expect(try server.log.wait(for: 2).map(\.status) == [401, 200])
    }

    @Test("I-2 a real client gets what Digest guards behind TLS", arguments: TrustingClient.allCases)
    func digest(_ client: TrustingClient) throws {
        let server = try Apache(leaf(), clients: Self.authority.get())
        let proxy = try proxy(server.port)
        let anchor = try Self.own.get().certificate
        let body = try client.get("https://\(server.authority)/digest/", proxy: proxy.port, trusting: anchor)
        #expect(body == "apache digest\n")
        #expect(try server.log.wait(for: 2).map(\.status) == [401, 200])
    }

    @Test("I-1 a real client that trusts no authority of ours gets nothing", arguments: TrustingClient.allCases)
    func untrusting(_ client: TrustingClient) throws {
        let server = try Nginx(leaf())
        let proxy = try proxy(server.port)
        let other = try Self.authority.get().certificate
        #expect(throws: TestFailure.self) {
            try client.get("https://\(server.authority)/basic/", proxy: proxy.port, trusting: other)
        }
        #expect(server.log.entries.isEmpty)
    }

    @Test(
        "I-2 curl gets it by any version of TLS, one after the other and at once",
        arguments: [["--tls-max", "1.2"], ["--tlsv1.3"], ["--no-alpn"], ["--http2"], ["--parallel"]]
    )
    func forms(_ arguments: [String]) throws {
        let server = try Nginx(leaf())
        let proxy = try proxy(server.port, workers: 2)
        let anchor = try Self.own.get().certificate
        let urls = [String](repeating: "https://\(server.authority)/basic/", count: 8)
        let fixed = ["-sS", "--fail", "--max-time", "30", "--cacert", anchor, "-x", proxy.url]
        let curl = try TestProcess("curl", fixed + arguments + urls)
        #expect(try curl.waitForExit(within: .seconds(60)) == .status(0), "\(curl.errors)")
        #expect(curl.output == String(repeating: "nginx basic\n", count: 8))
    }

    @Test("I-2 a client resumes its TLS session with us in another tunnel", arguments: ["-tls1_2", "-tls1_3"])
    func resumed(_ version: String) throws {
        let server = try Nginx(leaf())
        let proxy = try proxy(server.port)
        let folder = try ScratchFolder("session")
        let fixed = [
            "s_client", "-connect", server.authority, "-servername", "localhost", "-proxy", "127.0.0.1:\(proxy.port)",
            "-CAfile", try Self.own.get().certificate, "-verify_return_error", "-ign_eof", version,
        ]
        let get = "GET /basic/ HTTP/1.1\r\nHost: \(server.authority)\r\nConnection: close\r\n\r\n"
        for (session, word) in [("-sess_out", "New, "), ("-sess_in", "Reused, ")] {
            let client = try TestProcess("openssl", fixed + [session, folder("session")], input: get)
            #expect(try client.waitForExit() == .status(0), "\(client.errors)")
            #expect(client.output.contains("\n\(word)") && client.output.contains("nginx basic\n"))
        }
    }

    @Test("I-2 git clones from and pushes to what Digest guards behind TLS, by its smart protocol")
    func git() throws {
        let folder = try ScratchFolder("git")
        let server = try Apache(leaf(), clients: Self.authority.get(), repositories: folder.folder("served"))
        let proxy = try proxy(server.port)
        // Larger than what git sends at once, so that the push is asked for first and then goes in chunks.
        let script = """
            set -e
            git init -q --bare --shared=0666 served/it.git
            chmod -R a+rwX served
            git clone -q "$1" first 2>/dev/null
            cd first
            head -c 3000000 /dev/urandom >large
            git add large
            git -c user.name=Test -c user.email=test@example.com commit -q -m Large
            git push -q origin HEAD:main
            cd ..
            git clone -q -b main "$1" second
            cmp first/large second/large
            """
        let environment = TrustingClient.environment(proxy: proxy.port).merging([
            "GIT_SSL_CAINFO": try Self.own.get().certificate, "GIT_TERMINAL_PROMPT": "0",
        ]) { $1 }
        let git = try TestProcess(
            "sh",
            ["-c", script, "sh", "https://\(server.authority)/digest/git/it.git"],
            environment: environment,
            workingFolder: folder.path
        )
        #expect(try git.waitForExit(within: .seconds(60)) == .status(0), "\(git.output)\(git.errors)\(proxy.log)")
        let served = server.log.entries
        #expect(served.contains { $0.method == "POST" && $0.target.hasSuffix("git-receive-pack") && $0.status == 200 })
        #expect(served.contains { $0.method == "POST" && $0.target.hasSuffix("git-upload-pack") && $0.status == 200 })
    }
}
