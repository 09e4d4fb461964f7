import Support
import Testing

/// Logins that helpers, programs and netrc files hold, as an origin sees them.
@Suite struct FetchedLoginTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// `printf alice:right | base64`
    private static let right = "Basic YWxpY2U6cmlnaHQ="

    private func origin() throws -> ScriptedPeer {
        try ScriptedPeer { request in
            let isRight = request["Authorization"] == Self.right
            return [isRight ? .response(body: "in") : .unauthorized(#"Basic realm="Staff""#)]
        }
    }

    private func rules(_ credential: String, _ origin: ScriptedPeer) -> String {
        """
        credentials: { login: \(credential) }
        rules: [ { space: { host: 127.0.0.1, port: \(origin.port) }, use: login, cleartext: [basic] } ]

        """
    }

    private func store(_ password: String, for origin: ScriptedPeer) throws -> String {
        try folder.write("http://alice:\(password)@127.0.0.1%3a\(origin.port)\n", to: "store")
    }

    @Test("A-17 a login that git-credential-store has for real answers the challenge, and is stored again")
    func helper() throws {
        let origin = try origin()
        let path = try store("right", for: origin)
        let proxy = try RunningProxy(
            rules("{ helper: [git, credential-store, --file, \(path)] }", origin),
            workers: 1
        )
        for _ in 0..<3 { #expect(try proxy.get("\(origin.url)/a/").text == "in") }
        #expect(origin.requests.map { $0["Authorization"] } == [nil] + Array(repeating: Self.right, count: 3))
        #expect(folder.text(of: "store").contains("alice:right"))
    }

    @Test("A-17 a wrong login of a helper costs one attempt, and the helper is told to forget it")
    func wrongHelper() throws {
        let origin = try origin()
        let path = try store("wrong", for: origin)
        let proxy = try RunningProxy(
            rules("{ helper: [git, credential-store, --file, \(path)] }", origin),
            workers: 1
        )
        #expect(try proxy.get("\(origin.url)/a/").status == 401)
        try eventually("the line to go") { folder.text(of: "store").isEmpty }
        #expect(try proxy.get("\(origin.url)/a/").status == 401)
        #expect(origin.requests.compactMap { $0["Authorization"] }.count == 1)
    }

    @Test(
        "A-17 what a program prints, and what a netrc file has, answers the challenge",
        arguments: ["{ username: alice, password: { exec: [echo, right] } }", "{ netrc: FILE }"]
    )
    func others(_ credential: String) throws {
        let origin = try origin()
        let file = try folder.write("machine 127.0.0.1 login alice password right\n", to: "netrc")
        let proxy = try RunningProxy(rules(credential.replacing("FILE", with: file), origin), workers: 1)
        for _ in 0..<2 { #expect(try proxy.get("\(origin.url)/a/").text == "in") }
        #expect(origin.requests.map { $0["Authorization"] } == [nil, Self.right, Self.right])
    }

    @Test(
        "A-17 a helper that is missing or prints garbage is told as 502 with its reason, and nothing of what it printed",
        arguments: ["[/absent/helper]", "[echo, s3cret]"]
    )
    func failing(_ helper: String) throws {
        let origin = try origin()
        let proxy = try RunningProxy(rules("{ helper: \(helper) }", origin), workers: 1)
        let response = try proxy.get("\(origin.url)/a/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("secret.unavailable") == true)
        #expect(!response.text.contains("s3cret") && !proxy.log.contains("s3cret"))
    }
}
