import Support
import Testing

/// `countersign pin`, from outside.
@Suite struct PinCommandTests {
    private static let authority = Result { try TestAuthority() }

    @Test("O-6 the pins of a server are what openssl computes, as YAML, with what validation says of it")
    func server() throws {
        let authority = try Self.authority.get()
        let leaf = try authority.leaf("pinned", names: "DNS:localhost,IP:127.0.0.1")
        let server = try Nginx(leaf)
        let pin = try authority.pin(of: leaf.certificate)
        let trusted = ["SSL_CERT_FILE": authority.certificate]
        for name in ["localhost", "127.0.0.1"] {
            let outcome = try Binary.run(["pin", "\(name):\(server.port)"], environment: trusted)
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            let lines = outcome.output.split(separator: "\n")
            try #require(lines.count == 4)
            #expect(lines[0] == "# \(name):\(server.port): valid by this machine's trust anchors")
            #expect(lines[1] == "pins:")
            #expect(lines[2].hasPrefix("  - \(pin)  # CN=pinned, 20"))
            #expect(lines[3].hasPrefix("  - \(try authority.pin(of: authority.certificate))  # CN=Test authority, 20"))
        }
        let untrusted = try Binary.run(["pin", "localhost:\(server.port)"])
        #expect(untrusted.status == 0)
        #expect(untrusted.output.hasPrefix("# localhost:\(server.port): chain."))
        #expect(untrusted.output.contains("  - \(pin)  # CN=pinned"))
        // Nothing but handshakes came.
        #expect(server.log.entries.isEmpty)
    }

    @Test("O-6 a wrong name and an end of validity are told by their reason code, and the pins all the same")
    func refused() throws {
        let authority = try Self.authority.get()
        let trusted = ["SSL_CERT_FILE": authority.certificate]
        for (names, days, code) in [("DNS:other.test", 20, "host.mismatch"), ("DNS:localhost", -1, "chain.expired")] {
            let leaf = try authority.leaf("refused-\(code)", names: names, days: days)
            let server = try Nginx(leaf)
            let outcome = try Binary.run(["pin", "localhost:\(server.port)"], environment: trusted)
            #expect(outcome.status == 0)
            #expect(outcome.output.hasPrefix("# localhost:\(server.port): \(code): "))
            #expect(outcome.output.contains("  - \(try authority.pin(of: leaf.certificate))  # "))
        }
    }

    @Test("O-6 a server that demands a certificate of ours still shows its own")
    func demanding() throws {
        let authority = try Self.authority.get()
        let leaf = try authority.leaf("demanding", names: "DNS:localhost")
        let server = try Nginx(leaf, clients: authority)
        let trusted = ["SSL_CERT_FILE": authority.certificate]
        let outcome = try Binary.run(["pin", "localhost:\(server.port)"], environment: trusted)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("  - \(try authority.pin(of: leaf.certificate))  # "))
    }

    @Test("O-6 the pins of a file's certificates, PEM or DER, in their order")
    func files() throws {
        let folder = try ScratchFolder("pin")
        let both = try folder.write(ExampleCertificate.pem + "\n" + ExampleCertificate.rsaPEM + "\n", to: "both.pem")
        let outcome = try Binary.run(["pin", "--file", both])
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "pins:")
        #expect(lines.dropFirst().first?.hasPrefix("  - \(ExampleCertificate.pin)  # ") == true)
        let der = folder("one.der")
        let convert = try TestProcess("openssl", ["x509", "-in", both, "-outform", "der", "-out", der])
        #expect(try convert.waitForExit() == .status(0))
        #expect(try Binary.run(["pin", "--file", der]).output.contains("  - \(ExampleCertificate.pin)  # "))
    }

    @Test("O-6 what can't be read or reached is one line")
    func unreachable() throws {
        let folder = try ScratchFolder("pin")
        let empty = try folder.write("nothing\n", to: "empty.pem")
        let peer = try ScriptedPeer { _ in [.response()] }
        let cases: [([String], Int32)] = [
            (["--file", folder("none")], 2), (["--file", empty], 1), (["localhost:\(try FreePort.reserve())"], 1),
            (["[::1]:\(try FreePort.reserve())"], 1), (["name.invalid"], 1), (["127.0.0.1:\(peer.port)"], 1),
        ]
        for (arguments, status) in cases {
            let outcome = try Binary.run(["pin"] + arguments)
            #expect(outcome.status == status, "\(arguments)")
            #expect(outcome.output.isEmpty && outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
            #expect(outcome.errors.hasPrefix("countersign: "))
        }
    }
}
