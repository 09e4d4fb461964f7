import Support
import Testing

/// What `check`, start and reload say of keys, certificates and lists.
@Suite struct TLSMaterialTests {
    private struct Scene {
        let folder: ScratchFolder
        let client: TestAuthority.Leaf
        let other: TestAuthority.Leaf
        let authority: TestAuthority

        init() throws {
            folder = try ScratchFolder("material")
            authority = try TestAuthority()
            client = try authority.leaf("client", names: "DNS:client", purpose: .client)
            other = try authority.leaf("other", names: "DNS:other", purpose: .client)
        }

        func rules(_ credential: String, trust: String = "") -> String {
            """
            version: 1
            listeners: [{ address: "127.0.0.1:$PORT" }]
            credentials:
              client: \(credential)
            rules: [{ space: { host: localhost, protocol: https }, use: client }]
            routes: [{ host: localhost, upgrade: https }]
            trust: [{ host: localhost, anchors: { file: \(authority.certificate) }\(trust) }]

            """
        }

        func pem(_ certificate: String, _ key: String, _ more: String = "") -> String {
            "{ certificate: \(certificate), private_key: { file: \(key) }\(more) }"
        }

        /// What `check` says, less the name of the file.
        func check(_ rules: String) throws -> (status: Int32, output: String) {
            let text = rules.split(separator: "$PORT").joined(separator: "1")
            let file = try folder.write(text, to: "a.yaml", mode: 0o600)
            let outcome = try Binary.run(["check", file])
            let lines = outcome.output.split(separator: "\n").map { $0.hasPrefix(file) ? $0.dropFirst(file.count) : $0 }
            return (outcome.status, lines.joined(separator: "\n"))
        }

        func openssl(_ arguments: String...) throws {
            let process = try TestProcess("openssl", arguments)
            guard try process.waitForExit() == .status(0) else { throw TestFailure(process.errors) }
        }
    }

    @Test("T-11 check finds a key that isn't its certificate's, and points at the certificate")
    func mismatch() throws {
        let scene = try Scene()
        let good = try scene.check(scene.rules(scene.pem(scene.client.certificate, scene.client.key)))
        #expect(good.status == 0, "\(good.output)")
        let bad = try scene.check(scene.rules(scene.pem(scene.client.certificate, scene.other.key)))
        #expect(bad.status == 1)
        #expect(bad.output.hasPrefix(":4:26: no certificate belongs to the private key\n"))
    }

    @Test("T-11 check finds a wrong passphrase, of a PEM key as of PKCS#12, and says nothing of what it is")
    func passphrases() throws {
        let scene = try Scene()
        let (locked, store) = (scene.folder("locked.key"), scene.folder("store.p12"))
        try scene.openssl("pkcs8", "-topk8", "-in", scene.client.key, "-out", locked, "-passout", "pass:right")
        try scene.openssl(
            "pkcs12",
            "-export",
            "-in",
            scene.client.certificate,
            "-inkey",
            scene.client.key,
            "-out",
            store,
            "-passout",
            "pass:right"
        )
        for (value, status) in [("right", Int32(0)), ("c4n4ry", 1)] {
            let passphrase = ", passphrase: { value: \(value) }"
            let pem = try scene.check(scene.rules(scene.pem(scene.client.certificate, locked, passphrase)))
            let pkcs12 = try scene.check(scene.rules("{ pkcs12: \(store)\(passphrase) }"))
            #expect(pem.status == status && pkcs12.status == status, "\(pem.output) \(pkcs12.output)")
            #expect(pem.output.contains("isn't opened by its passphrase") == (status == 1))
            #expect(pkcs12.output.contains("isn't opened by its passphrase") == (status == 1))
            #expect(!pem.output.contains("c4n4ry") && !pkcs12.output.contains("c4n4ry"))
        }
    }

    @Test("T-11 check finds ciphers, groups, anchors and lists that OpenSSL doesn't take")
    func policies() throws {
        let scene = try Scene()
        let credential = scene.pem(scene.client.certificate, scene.client.key)
        let list = try scene.folder.write("-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n", to: "list.pem")
        for trust in ["ciphers: FROBNICATE", "groups: FROBNICATE", "revocation: { crl: \(list) }"] {
            let said = try scene.check(scene.rules(credential, trust: ", \(trust)"))
            #expect(said.status == 1)
            #expect(
                said.output.hasPrefix(":7:") && said.output.contains("OpenSSL doesn't take this: "),
                "\(said.output)"
            )
        }
        let good = try scene.check(scene.rules(credential, trust: ", ciphers: TLS_AES_128_GCM_SHA256, groups: X25519"))
        #expect(good.status == 0, "\(good.output)")
    }

    @Test("T-6 check warns of a client certificate that has ended")
    func ended() throws {
        let scene = try Scene()
        let old = try scene.authority.leaf("old", names: "DNS:old", purpose: .client, days: -1)
        let said = try scene.check(scene.rules(scene.pem(old.certificate, old.key)))
        #expect(said.status == 0)
        #expect(said.output.contains(":4:26: warning: this certificate ended on "))
    }

    @Test("I-4 check finds an authority that isn't one, or isn't its key's")
    func authorities() throws {
        let scene = try Scene()
        func said(_ certificate: String, _ key: String) throws -> String {
            let rules = """
                version: 1
                interception:
                  authority:
                    certificate: \(certificate)
                    private_key: { file: \(key) }
                  hosts: [localhost]

                """
            return try scene.check(rules).output
        }
        #expect(
            try said(scene.client.certificate, scene.client.key).contains(":4:18: the authority's certificate isn't")
        )
        let wrong = try said(scene.authority.certificate, scene.client.key)
        #expect(wrong.contains(":4:18: the authority's certificate isn't the private key's"))
    }

    @Test("T-11 start and reload refuse with the words of check, and a reload keeps all that was in force")
    func reload() throws {
        let scene = try Scene()
        let server = try Nginx(
            scene.authority.leaf("server", names: "DNS:localhost"),
            clients: scene.authority
        )
        let key = try scene.folder.write(try Self.text(scene.client.key), to: "live.key", mode: 0o600)
        let rules = scene.rules(scene.pem(scene.client.certificate, key))
            .split(separator: "upgrade: https").joined(separator: "upgrade: \"https:\(server.port)\"")
            .split(separator: "host: localhost, protocol").joined(separator: "host: localhost, port: any, protocol")
        let proxy = try RunningProxy(rules, workers: 1)
        #expect(try proxy.get("http://localhost/open/").status == 200)
        try scene.folder.write(try Self.text(scene.other.key), to: "live.key", mode: 0o600)
        proxy.reload()
        try proxy.waitForLog("no certificate belongs to the private key")
        try proxy.waitForLog("the rules in force go on")
        #expect(try proxy.get("http://localhost/open/").status == 200)
        #expect(try server.log.wait(for: 2).map(\.status) == [200, 200])
        let start = try Binary.run(["run", "--config", proxy.folder("countersign.yaml")])
        #expect(start.status == 1 && start.errors.contains("no certificate belongs to the private key"))
    }

    private static func text(_ path: String) throws -> String {
        let cat = try TestProcess("cat", [path])
        _ = try cat.waitForExit()
        return cat.output
    }
}
