import Support
import Testing

/// What the peers of connection-bound authentication demand by themselves, told by curl.
@Suite struct BoundPeersTests {
    private let alice = "CORP\\alice:open sesame"

    private func curl(
        _ url: String,
        _ arguments: [String],
        proxy: UInt16? = nil,
        environment: [String: String] = [:]
    ) throws -> [String] {
        let through = proxy.map { ["--proxy", "http://localhost:\($0)"] } ?? ["--noproxy", "*"]
        let fixed = ["-sS", "--max-time", "20", "--write-out", "%{http_code}", "-o", "/dev/null", url]
        let process = try TestProcess("curl", fixed + through + arguments, environment: environment)
        _ = try process.waitForExit()
        return process.output.split(separator: "\n").map(String.init) + (process.errors.isEmpty ? [] : [process.errors])
    }

    @Test(arguments: ["--ntlm", "--basic", "--digest"])
    func `the acceptor lets in who knows the password, and on one connection`(_ method: String) throws {
        let acceptor = try Acceptor(["NTLM", "Digest", "Basic"])
        let login = method == "--ntlm" ? alice : "alice:open sesame"
        #expect(try curl(acceptor.url, [method, "--user", login, "--data", "abc"]) == ["200"])
        let last = try #require(acceptor.wait(for: method == "--basic" ? 1 : 2).last)
        #expect(last.identity == (method == "--ntlm" ? "CORP\\alice" : "alice"))
        #expect(last.body == 3)
        #expect(acceptor.legs.connections == 1)
        #expect(try curl(acceptor.url, [method, "--user", "alice:wrong"]) == ["401"])
    }

    @Test func `the acceptor takes NTLM inside Negotiate`() throws {
        let acceptor = try Acceptor(["Negotiate"])
        let folder = try ScratchFolder()
        let file = try folder.write("CORP:alice:open sesame\n", to: "users")
        let environment = ["NTLM_USER_FILE": file]
        #expect(try curl(acceptor.url, ["--negotiate", "--user", ":"], environment: environment) == ["200"])
        #expect(try acceptor.wait(for: 2).last?.identity == "CORP\\alice")
    }

    @Test(arguments: ["--proxy-ntlm", "--proxy-basic", "--proxy-digest"], [[], ["--proxytunnel"]])
    func `the acceptor as a parent lets in who knows the password, for a request and for CONNECT`(
        _ method: String,
        _ form: [String]
    ) throws {
        let origin = try Acceptor(["NTLM"])
        let parent = try Acceptor(["NTLM", "Digest", "Basic"]) { $0.proxy = true }
        let login = method == "--proxy-ntlm" ? alice : "alice:open sesame"
        let arguments = [method, "--proxy-user", login, "--ntlm", "--user", alice, "--data", "abc"] + form
        #expect(try curl(origin.url, arguments, proxy: parent.port) == ["200"])
        let legs = try origin.wait(for: 2)
        #expect(legs.map(\.status) == [401, 200])
        #expect(legs.connections == 1)
        #expect(legs.last?.body == 3)
        try eventually("the parent's word") { parent.legs.contains { $0.status == 200 } }
        #expect(parent.legs.connections == 1)
    }

    @Test func `a ticket opens Apache, squid and the acceptor`() throws {
        let realm = try KerberosRealm()
        try realm.login()
        let keytab = try realm.keytab("HTTP/localhost")
        let apache = try Apache(realm: realm, keytab: keytab, isBound: true)
        let squid = try Squid(demanding: .negotiate(keytab: keytab), realm: realm)
        let acceptor = try Acceptor(["Negotiate"], realm: realm, keytab: keytab)
        let login = ["--negotiate", "--user", ":"]
        let url = "http://localhost:\(apache.port)/negotiate/"
        #expect(try curl(url, login, environment: realm.environment) == ["200"])
        #expect(try apache.log.wait(for: 1).last?.authorization.hasPrefix(realm.principal("alice")) == true)
        #expect(try curl(url, [], environment: realm.environment) == ["401"])
        #expect(try curl("http://localhost:\(acceptor.port)", login, environment: realm.environment) == ["200"])
        #expect(try acceptor.wait(for: 1).last?.identity == realm.principal("alice"))
        let proxyLogin = ["--proxy-negotiate", "--proxy-user", ":"]
        let open = apache.url + "/open/"
        #expect(try curl(open, proxyLogin, proxy: squid.port, environment: realm.environment) == ["200"])
        #expect(try curl(open, [], proxy: squid.port, environment: realm.environment) == ["407"])
    }
}
