import Glibc
import Support
import Testing

/// `countersign ca`, from outside.
@Suite struct AuthorityCommandTests {
    private func make(_ folder: ScratchFolder, _ more: [String] = []) throws -> Binary.Outcome {
        try Binary.run(["ca", "init", "--directory", folder("made")] + more)
    }

    private func openssl(_ arguments: String...) throws -> (status: TestProcess.Exit, output: String) {
        let process = try TestProcess("openssl", arguments)
        return (try process.waitForExit(), process.output)
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("I-4 ca init makes an authority that openssl accepts, its key for its owner alone")
    func made() throws {
        let folder = try ScratchFolder("ca")
        let outcome = try make(folder, ["--name", "Office", "--days", "90"])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let certificate = folder("made/authority.pem")
        #expect(mode(certificate) == 0o644 && mode(folder("made/authority.key")) == 0o600)
        let verified = try openssl("verify", "-x509_strict", "-CAfile", certificate, certificate)
        #expect(verified.status == .status(0))
        let facts = try openssl("x509", "-in", certificate, "-noout", "-subject", "-fingerprint", "-sha256").output
        #expect(facts.contains("CN=Office") || facts.contains("CN = Office"))
        let fingerprint = try #require(facts.split(separator: "=").last).filter { $0 != "\n" }
        #expect(outcome.output.contains(fingerprint))
        #expect(try openssl("x509", "-in", certificate, "-noout", "-checkend", "\(89 * 86_400)").status == .status(0))
        #expect(try openssl("x509", "-in", certificate, "-noout", "-checkend", "\(91 * 86_400)").status != .status(0))
        let key = try openssl("pkey", "-in", folder("made/authority.key"), "-pubout").output
        #expect(try openssl("x509", "-in", certificate, "-noout", "-pubkey").output == key)
        #expect(try names(in: folder("made")) == ["authority.key", "authority.pem"])
    }

    private func names(in folder: String) throws -> [String] {
        let list = try TestProcess("ls", ["-A", folder])
        _ = try list.waitForExit()
        return list.output.split(separator: "\n").map(String.init).sorted()
    }

    @Test("I-4 ca init with hosts makes an authority that may issue for nothing else")
    func constrained() throws {
        let folder = try ScratchFolder("ca")
        let hosts = ["--host", ".example.com", "--host", "10.0.0.0/8", "--host", "::1"]
        let outcome = try make(folder, hosts)
        #expect(outcome.output.contains("\n  hosts: [.example.com, 10.0.0.0/8, \"::1\"]\n"))
        let text = try openssl("x509", "-in", folder("made/authority.pem"), "-noout", "-text").output
        #expect(text.contains("X509v3 Name Constraints: critical"))
        #expect(text.contains("DNS:example.com") && text.contains("IP:10.0.0.0/255.0.0.0"))
    }

    @Test("I-4 nothing is overwritten unless it is asked for, and then the pair belongs together")
    func overwriting() throws {
        let folder = try ScratchFolder("ca")
        #expect(try make(folder).status == 0)
        let (key, certificate) = (folder.text(of: "made/authority.key"), folder.text(of: "made/authority.pem"))
        let again = try make(folder)
        #expect(again.status == 1 && again.output.isEmpty)
        let path = folder("made/authority.key")
        #expect(again.errors == "countersign: \(path) is there already: --force replaces it\n")
        #expect(folder.text(of: "made/authority.key") == key)
        #expect(folder.text(of: "made/authority.pem") == certificate)
        // The certificate alone stands in the way as well, and no key is left beside it.
        unsafe unlink(path)
        #expect(try make(folder).status == 1)
        #expect(!(try names(in: folder("made"))).contains("authority.key"))
        #expect(try make(folder, ["--force"]).status == 0)
        #expect(folder.text(of: "made/authority.pem") != certificate)
        let shown = try Binary.run(["ca", "show", folder("made/authority.pem"), "--key", path])
        #expect(shown.status == 0 && shown.output.contains("belongs to the certificate"))
        #expect(mode(path) == 0o600)
    }

    @Test("I-4 what is there and is no file isn't replaced, not even by force")
    func noFile() throws {
        let folder = try ScratchFolder("ca")
        try folder.folder("key")
        let pipe = folder("pipe")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let link = folder("link")
        #expect(unsafe symlink(pipe, link) == 0)
        for key in [folder("key"), pipe, link] {
            let places = ["--certificate", folder("c.pem"), "--key", key, "--force"]
            let outcome = try Binary.run(["ca", "init"] + places)
            #expect(outcome.status != 0 && outcome.errors.contains("isn't replaced"))
        }
        var status = stat()
        #expect(unsafe stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("I-4 check tells of hosts that the authority may not issue for")
    func leftOut() throws {
        let folder = try ScratchFolder("ca")
        _ = try make(folder, ["--host", ".example.com"])
        func words(_ hosts: String) throws -> String {
            let rules = """
                version: 1
                interception:
                  authority:
                    certificate: \(folder("made/authority.pem"))
                    private_key: { file: \(folder("made/authority.key")) }
                  hosts: [\(hosts)]

                """
            let outcome = try Binary.run(["check", folder.write(rules, to: "rules.yaml")])
            return outcome.output + outcome.errors
        }
        #expect(try !words("a.example.com, .example.com, '*.example.com'").contains("clients will refuse"))
        for host in ["o.test", "10.1.2.3", ".test"] {
            #expect(try words(host).contains("clients will refuse"))
        }
    }

    @Test("I-4 without a place ca init writes where the ledger is kept, and each file may have its own")
    func places() throws {
        let folder = try ScratchFolder("ca")
        let usual = try Binary.run(["ca", "init"], environment: ["XDG_STATE_HOME": folder("state")])
        #expect(usual.status == 0)
        #expect(try names(in: folder("state/countersign")) == ["authority.key", "authority.pem"])
        #expect(mode(folder("state/countersign")) == 0o700)
        let own = try Binary.run(
            ["ca", "init", "--certificate", "a b.pem", "--key", "keys/k"],
            workingFolder: folder.path
        )
        #expect(own.status == 0)
        // Paths of the rule file count from its own folder, so they are written from the root on.
        let line = "authority: { certificate: \"\(folder("a b.pem"))\", private_key: { file: \(folder("keys/k")) } }"
        #expect(own.output.contains(line))
        let here = try Binary.run(["ca", "init", "--directory", "."], workingFolder: folder.path)
        #expect(here.output.contains("certificate: \(folder("authority.pem")),"))
        let forbidden = try Binary.run(["ca", "init", "--directory", "/proc/none"])
        #expect(forbidden.status == 1 && forbidden.errors.split(separator: "\n").count == 1)
    }

    @Test("I-4 what ca init prints is pasted as it is: check takes it, and a client that trusts it gets through")
    func pasted() throws {
        let folder = try ScratchFolder("ca")
        let outcome = try make(folder, ["--host", "localhost"])
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex(of: "interception:"))
        let section = lines[begin...].prefix { !$0.isEmpty }.joined(separator: "\n") + "\n"
        let upstream = try TestAuthority()
        let server = try Nginx(upstream.leaf("server", names: "DNS:localhost"))
        let rules = section + "trust: [{ host: localhost, anchors: { file: \(upstream.certificate) } }]\n"
        let proxy = try RunningProxy(rules, workers: 1)
        let checked = try Binary.run(["check", proxy.folder("countersign.yaml")])
        #expect(checked.status == 0, "\(checked.output)")
        let shown = try Binary.run(["ca", "show", "--config", proxy.folder("countersign.yaml")])
        #expect(shown.status == 0 && shown.output.contains("belongs to the certificate"))
        let url = "https://\(server.authority)/open/"
        let curl = try TestProcess(
            "curl",
            ["-sS", "--max-time", "20", "-x", proxy.url, "--cacert", folder("made/authority.pem"), url]
        )
        #expect(try curl.waitForExit() == .status(0), "\(curl.errors)")
        #expect(curl.output == "nginx open\n")
        let explained = try Binary.run(["explain", url, "--config", proxy.folder("countersign.yaml")])
        #expect(explained.output.contains("\nopened     by interception: "))
    }

    @Test("I-4 ca show tells whether key and certificate belong together, and what is wrong")
    func shown() throws {
        let folder = try ScratchFolder("ca")
        for name in ["a", "b"] {
            let files = ["--certificate", folder("\(name).pem"), "--key", folder("\(name).key")]
            #expect(try Binary.run(["ca", "init", "--host", "example.com"] + files).status == 0)
        }
        let whole = try Binary.run(["ca", "show", folder("a.pem"), folder("b.pem")])
        #expect(whole.status == 0)
        #expect(
            whole.output.split(separator: "\n").count { $0.hasPrefix("issues for   Permitted: DNS:example.com") } == 2
        )
        let mixed = try Binary.run(["ca", "show", folder("a.pem"), "--key", folder("b.key")])
        #expect(mixed.status == 1)
        #expect(mixed.errors == "countersign: \(folder("a.pem")): the certificate isn't the private key's\n")
        let authority = try TestAuthority()
        let leaf = try authority.leaf("leaf", names: "DNS:localhost", days: -1)
        let other = try Binary.run(["ca", "show", leaf.certificate])
        #expect(other.status == 1)
        #expect(other.errors.contains("isn't an authority's") && other.errors.contains("has ended"))
        #expect(try Binary.run(["ca", "show", folder("none")]).status == 2)
        let rules = try folder.write("version: 1\n", to: "rules.yaml", mode: 0o600)
        let none = try Binary.run(["ca", "show", "--config", rules])
        #expect(none.status == 1 && none.errors.contains("names no authority"))
    }
}
