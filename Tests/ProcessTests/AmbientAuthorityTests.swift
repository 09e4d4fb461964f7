import Support
import Testing

/// Requests that a browser sends for a page of another site.
@Suite struct AmbientAuthorityTests {
    private static let document = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
    private static let cross = "Sec-Fetch-Site: cross-site"

    /// A request's method, its fields, and whether it gets a credential at 127.0.0.1.
    private static let cases: [(method: String, fields: [String], isAnswered: Bool)] = [
        ("GET", [], true),
        ("GET", ["Sec-Fetch-Site: none"], true),
        ("POST", ["Sec-Fetch-Site: same-origin"], true),
        ("POST", ["Sec-Fetch-Site: same-site"], true),
        ("GET", [cross], false),
        ("POST", [cross], false),
        ("GET", [cross, "Origin: http://127.0.0.1"], false),
        ("GET", [cross] + document, true),
        ("HEAD", [cross] + document, true),
        ("POST", [cross] + document, false),
        ("GET", [cross, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], false),
        ("GET", [cross, "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: document"], false),
        ("GET", ["Origin: http://127.0.0.1"], true),
        ("POST", ["Origin: https://127.0.0.1:8443"], true),
        ("GET", ["Origin: http://evil.example"], false),
        ("POST", ["Origin: http://evil.example"], false),
        ("POST", ["Origin: null"], false),
        ("POST", ["Origin: http://127.0.0.1.evil.example"], false),
        ("POST", ["Origin: http://evil.example, http://127.0.0.1"], false),
        ("POST", ["Sec-Fetch-Site: same-origin", "Origin: http://evil.example"], true),
        ("GET", ["Origin: null"] + document, true),
    ]

    private static func rules(_ more: String = "") -> String {
        """
        credentials: { staff: { username: user, password: { value: right } } }
        rules: [ { space: { host: 127.0.0.1, port: any }, use: staff\(more) } ]
        """
    }

    /// It takes whatever carries a value, and answers HEAD too: without bodies.
    private func origin(_ scheme: String) throws -> ScriptedPeer {
        let challenge = "WWW-Authenticate: \(Demand(scheme: scheme, status: 401).challenge)"
        return try ScriptedPeer { [$0["Authorization"] == nil ? .response(401, [challenge]) : .response()] }
    }

    private func statuses(_ proxy: RunningProxy, _ peer: ScriptedPeer) throws -> [Int] {
        try Self.cases.map { method, fields, _ in try proxy.get("\(peer.url)/", fields, method: method).status }
    }

    @Test(
        "A-15 no credential in answer to a challenge for what another site asked for",
        arguments: ["Basic", "Digest"]
    )
    func answered(_ scheme: String) throws {
        let peer = try origin(scheme)
        let proxy = try RunningProxy(Self.rules(", preempt: never"), workers: 1)
        #expect(try statuses(proxy, peer) == Self.cases.map { $0.isAnswered ? 200 : 401 })
        let told = try proxy.get("\(peer.url)/", [Self.cross])
        #expect(reason(of: told) == "cross-site.refused")
    }

    @Test("A-15 nor ahead", arguments: ["Basic", "Digest"])
    func ahead(_ scheme: String) throws {
        let peer = try origin(scheme)
        let proxy = try RunningProxy(Self.rules(), workers: 1)
        #expect(try proxy.get("\(peer.url)/").status == 200)
        peer.forget()
        #expect(try statuses(proxy, peer) == Self.cases.map { $0.isAnswered ? 200 : 401 })
        // One request each: what may go has gone ahead, what may not was not answered either.
        #expect(peer.requests.map { $0["Authorization"] != nil } == Self.cases.map(\.isAnswered))
    }

    @Test("A-15 cross_site: true allows it, and a parent's login is not concerned")
    func allowed() throws {
        let peer = try Demand(scheme: "Basic", status: 401).takingPeer()
        let open = try RunningProxy(Self.rules(", cross_site: true"), workers: 1)
        #expect(try open.get("\(peer.url)/", [Self.cross], method: "POST").status == 200)
        let demand = Demand(scheme: "Digest", status: 407)
        let parent = try demand.takingPeer()
        let proxy = try RunningProxy(demand.rules(for: parent), files: ["secret": "right"])
        #expect(try proxy.get("http://a.example/", [Self.cross, "Origin: null"], method: "POST").status == 200)
    }
}
