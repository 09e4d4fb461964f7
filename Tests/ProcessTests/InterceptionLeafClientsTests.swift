import Support
import Testing

/// The leafs that a running proxy shows, in the eyes of those who get them.
@Suite struct InterceptionLeafClientsTests {
    static let own = Result { try TestAuthority() }

    /// A name longer than a common name may be, RFC 5280 appendix A.1.
    static let longName = String(repeating: "long.", count: 14) + "example.test"

    func rules(_ authority: TestAuthority, hosts: String) -> String {
        "interception: { authority: { certificate: \(authority.certificate), private_key: { file: \(authority.key) } },"
            + " hosts: [\(hosts)] }\n"
    }

    /// A host as a URL has it, without the brackets of an IPv6 address.
    func bare(_ host: String) -> String { host.filter { $0 != "[" && $0 != "]" } }

    /// A parent whose tunnels end at once: what is opened shows its leaf all the same, and a 502 within.
    func deadEnd() throws -> ScriptedPeer {
        try ScriptedPeer { _ in [.send("HTTP/1.1 200 OK\r\n\r\n"), .close] }
    }

    /// What a shell says with the leaf as `leaf.pem`, the authority as `$CA`, and more variables.
    func shell(_ script: String, _ leaf: [UInt8], _ authority: TestAuthority, _ name: String = "") throws -> String {
        let folder = try ScratchFolder("leaf")
        let octal = leaf.map { "\\0\(String($0, radix: 8))" }.joined()
        let process = try TestProcess(
            "sh",
            ["-ec", "printf %b '\(octal)' | openssl x509 -inform DER -out leaf.pem\n\(script)"],
            environment: ["CA": authority.certificate, "NAME": name],
            workingFolder: folder.path
        )
        guard try process.waitForExit() == .status(0) else { throw TestFailure(process.output + process.errors) }
        return process.output
    }

    @Test(
        "I-1 the leaf shown for a name or an address passes openssl's, Python's and curl's verification",
        arguments: ["localhost", "a.b.test", "127.0.0.1", "192.0.2.7", "[::1]", "[2001:db8::7]", longName]
    )
    func accepted(_ host: String) throws {
        let (own, parent) = (try Self.own.get(), try deadEnd())
        let proxy = try RunningProxy(
            RunningProxy.through(parent.port) + rules(own, hosts: "\"\(bare(host))\""),
            workers: 1
        )
        // Python verifies name and dates, by its flag for strictness too.
        let outcome = try TunnelClient.speak(
            proxy.port,
            to: "\(host):443",
            trusting: own.certificate,
            ["GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"]
        )
        #expect(outcome.failure == nil && outcome.replies.map(\.status) == [502])

        let name = bare(host)
        let isAddress = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
        let strict = "openssl verify -x509_strict -auth_level 2 -purpose sslserver -CAfile $CA"
        let check = isAddress ? "-verify_ip" : "-verify_hostname"
        let verified = try shell("\(strict) \(check) $NAME leaf.pem", outcome.certificate, own, name)
        #expect(verified == "leaf.pem: OK\n")
        #expect(throws: TestFailure.self) {
            try shell("\(strict) -verify_hostname other.test leaf.pem", outcome.certificate, own)
        }

        let curl = try TestProcess(
            "curl",
            ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "20", "--cacert", own.certificate]
                + ["-x", proxy.url, "https://\(host)/"]
        )
        #expect(try curl.waitForExit() == .status(0), "\(curl.errors)")
        #expect(curl.output == "502")
    }

    @Test(
        "I-1 the leaf shown names what was asked for and nothing else",
        arguments: [
            ("localhost", "DNS:localhost"), ("127.0.0.1", "IP Address:127.0.0.1"),
            ("[::1]", "IP Address:0:0:0:0:0:0:0:1"), (longName, "DNS:\(longName)"),
        ]
    )
    func names(_ host: String, _ shown: String) throws {
        let (own, parent) = (try Self.own.get(), try deadEnd())
        let proxy = try RunningProxy(
            RunningProxy.through(parent.port) + rules(own, hosts: "\"\(bare(host))\""),
            workers: 1
        )
        let outcome = try TunnelClient.speak(proxy.port, to: "\(host):443", trusting: own.certificate, [])
        let extensions = "subjectAltName,extendedKeyUsage,basicConstraints"
        let text = try shell("openssl x509 -in leaf.pem -noout -ext \(extensions)", outcome.certificate, own)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(lines.contains { $0 == shown })
        #expect(lines.contains("TLS Web Server Authentication") && lines.contains("CA:FALSE"))
        #expect(!text.contains("*"))
    }

    @Test("I-1 the leaf shown is of P-256, an hour old, and says whose it is; each has a serial number of its own")
    func form() throws {
        let (own, parent) = (try Self.own.get(), try deadEnd())
        let hosts = (0..<4).map { "h\($0).test" }
        let proxy = try RunningProxy(
            RunningProxy.through(parent.port) + rules(own, hosts: hosts.joined(separator: ", ")),
            workers: 2
        )
        var serials: Set<String> = []
        for host in hosts {
            let outcome = try TunnelClient.speak(proxy.port, to: "\(host):443", trusting: own.certificate, [])
            let said = try shell(
                """
                openssl x509 -in leaf.pem -noout -text | grep -o 'NIST CURVE: .*'
                echo $(($(date +%s) - $(date -d "$(openssl x509 -in leaf.pem -noout -startdate | cut -d= -f2)" +%s)))
                openssl x509 -in leaf.pem -noout -ext authorityKeyIdentifier | tail -1 | tr -d ' '
                openssl x509 -in "$CA" -noout -ext subjectKeyIdentifier | tail -1 | tr -d ' '
                openssl x509 -in leaf.pem -noout -serial | cut -d= -f2
                """,
                outcome.certificate,
                own
            ).split(separator: "\n").map(String.init)
            try #require(said.count == 5)
            #expect(said[0] == "NIST CURVE: P-256")
            #expect((3600...3660).contains(Int(said[1]) ?? 0))
            #expect(said[2] == said[3])
            // 32 digits are 128 bits; a random one may begin with zeros, but hardly with four bytes of them.
            #expect((24...32).contains(said[4].count))
            serials.insert(said[4])
        }
        #expect(serials.count == hosts.count)
    }

    @Test("I-1 200 clients that come to a new host at once all see the leaf of one minting")
    func once() throws {
        // Its signatures take long enough that others come meanwhile.
        let own = try TestAuthority("Slow authority") { $0.useRSA(4096) }
        let upstream = try TestAuthority()
        let server = try Nginx(upstream.leaf("once", names: "DNS:localhost"))
        let trust = "trust: [{ host: localhost, anchors: { file: \(upstream.certificate) } }]\n"
        let proxy = try RunningProxy(trust + rules(own, hosts: "localhost"), workers: 2)
        let outcomes = try TunnelClient.speakAtOnce(
            proxy.port,
            to: server.authority,
            trusting: own.certificate,
            ["GET /open/ HTTP/1.1\r\nHost: \(server.authority)\r\n\r\n"]
        ) { $0.times = 200 }
        #expect(outcomes.count { $0.replies.map(\.body) == ["nginx open\n"] } == 200)
        #expect(Set(outcomes.map { $0.leaf ?? $0.failure ?? "no leaf" }).count == 1)
    }

    @Test("I-4 an authority that ca init made for a host is believed for it, and for nothing else")
    func constrained() throws {
        let folder = try ScratchFolder("ca")
        let files = ["--certificate", folder("ca.pem"), "--key", folder("ca.key")]
        #expect(try Binary.run(["ca", "init", "--host", "a.test"] + files).status == 0)
        let parent = try deadEnd()
        let section =
            "interception: { authority: { certificate: \(folder("ca.pem")), private_key: { file: \(folder("ca.key")) } },"
            + " hosts: [a.test, b.test, 192.0.2.7] }\n"
        let proxy = try RunningProxy(RunningProxy.through(parent.port) + section, workers: 1)
        // 60: the server's certificate isn't believed (curl(1)).
        for (host, status) in [("a.test", 0), ("b.test", 60), ("192.0.2.7", 60)] {
            let curl = try TestProcess(
                "curl",
                ["-sS", "--max-time", "20", "--cacert", folder("ca.pem"), "-x", proxy.url, "https://\(host)/"]
            )
            #expect(try curl.waitForExit() == .status(Int32(status)), "\(curl.errors)")
        }
    }
}
