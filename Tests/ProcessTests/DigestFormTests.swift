import Support
import Testing

/// The forms of Digest that few servers use, each checked by the peer's own computation [RFC 7616 section 3.4].
@Suite struct DigestFormTests {
    private static let name = "J\u{e4}s\u{f8}n Doe"
    private static let rules = """
        credentials: { login: { username: "\(name)", password: { value: "Secret, or not?" } } }
        rules: [ { space: { host: 127.0.0.1, port: any }, use: login } ]
        """

    private static func hash(_ text: String, _ algorithm: String) -> String {
        algorithm.hasPrefix("MD5") ? Digest.md5(text) : Digest.sha256(text)
    }

    /// The answers that an origin got over two requests on one client connection, each the right one.
    private func answers(
        _ challenge: String,
        _ key: @escaping @Sendable (_ cnonce: String) -> String,
        _ algorithm: String
    ) throws -> [String] {
        let origin = try ScriptedPeer { request in
            guard let value = request["Authorization"] else { return [.unauthorized(challenge)] }
            let cnonce = parameter("cnonce", of: value)
            let parts = [
                key(cnonce), "n0nce", parameter("nc", of: value), cnonce, "auth",
                Self.hash("\(request.method):\(request.target)", algorithm),
            ]
            let isIn = parameter("response", of: value) == Self.hash(parts.joined(separator: ":"), algorithm)
            return [isIn ? .response() : .response(403)]
        }
        let proxy = try RunningProxy(Self.rules, workers: 1)
        let client = try proxy.connect()
        for path in ["/a", "/b?c"] {
            #expect(try client.exchange(request("GET \(origin.url)\(path) HTTP/1.1", ["Host: h"])).status == 200)
        }
        #expect(origin.requests.count == 3)
        return origin.requests.compactMap { $0["Authorization"] }
    }

    @Test(
        "A-4 a -sess key is of the first cnonce, which stays while the nonce is used",
        arguments: ["MD5-sess", "SHA-256-sess"]
    )
    func session(_ algorithm: String) throws {
        let challenge =
            "Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth\", algorithm=\(algorithm), charset=UTF-8, opaque=\"0p\""
        let values = try answers(
            challenge,
            { cnonce in
                let user = Self.hash("\(Self.name):Staff:Secret, or not?", algorithm)
                return Self.hash("\(user):n0nce:\(cnonce)", algorithm)
            },
            algorithm
        )
        #expect(values.map { parameter("nc", of: $0) } == ["00000001", "00000002"])
        #expect(Set(values.map { parameter("cnonce", of: $0) }).count == 1)
        #expect(values.allSatisfy { parameter("cnonce", of: $0).utf8.count >= 16 })
        #expect(
            values.allSatisfy { parameter("algorithm", of: $0) == algorithm && parameter("opaque", of: $0) == "0p" }
        )
    }

    @Test("A-4 a name beyond ASCII goes as username* [RFC 7616 section 3.9.2]", arguments: ["MD5", "SHA-256"])
    func extendedName(_ algorithm: String) throws {
        let values = try answers(
            "Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth\", algorithm=\(algorithm), charset=UTF-8",
            { _ in Self.hash("\(Self.name):Staff:Secret, or not?", algorithm) },
            algorithm
        )
        #expect(values.allSatisfy { parameter("username*", of: $0) == "UTF-8''J%C3%A4s%C3%B8n%20Doe" })
        #expect(values.allSatisfy { parameter("username", of: $0) == "" && parameter("userhash", of: $0) != "true" })
    }

    @Test("A-4 a server that asks for userhash gets the name hashed", arguments: ["MD5", "SHA-256"])
    func hashedName(_ algorithm: String) throws {
        let values = try answers(
            "Digest realm=\"Staff\", nonce=\"n0nce\", qop=\"auth\", algorithm=\(algorithm), charset=UTF-8, userhash=true",
            { _ in Self.hash("\(Self.name):Staff:Secret, or not?", algorithm) },
            algorithm
        )
        #expect(values.allSatisfy { parameter("username", of: $0) == Self.hash("\(Self.name):Staff", algorithm) })
        #expect(values.allSatisfy { parameter("userhash", of: $0) == "true" && parameter("username*", of: $0) == "" })
    }
}

/// Which bytes a name and a password beyond ASCII come to.
@Suite struct CharsetTests {
    /// The example of RFC 7617 section 2.1 in both charsets.
    private static let utf8 = "Basic dGVzdDoxMjPCow=="
    private static let latin1 = "Basic dGVzdDoxMjOj"

    @Test(
        "A-3 the charset of Basic is the challenge's, then the rule's, then UTF-8",
        arguments: [
            ("", "", utf8), (", charset=\"UTF-8\"", "", utf8), ("", ", charset: latin-1", latin1),
            (", charset=\"utf-8\"", ", charset: latin-1", utf8), ("", ", charset: utf-8", utf8),
        ]
    )
    func basic(_ challenge: String, _ rule: String, _ expected: String) throws {
        let origin = try ScriptedPeer { request in
            [request["Authorization"] == nil ? .unauthorized("Basic realm=\"foo\"" + challenge) : .response()]
        }
        let proxy = try RunningProxy(
            """
            credentials: { login: { username: test, password: { file: secret } } }
            rules: [ { space: { host: 127.0.0.1, port: any }, use: login\(rule) } ]
            """,
            files: ["secret": "123\u{a3}"]
        )
        #expect(try proxy.get("\(origin.url)/").status == 200)
        #expect(origin.requests.last?["Authorization"] == expected)
    }

    @Test("A-3 a password that the charset can't write is told, and nothing is sent", arguments: ["Basic", "Digest"])
    func unwritable(_ scheme: String) throws {
        let origin = try Demand(scheme: scheme, status: 401).refusingPeer()
        let proxy = try RunningProxy(
            """
            credentials: { login: { username: test, password: { file: secret } } }
            rules: [ { space: { host: 127.0.0.1, port: any }, use: login, charset: latin-1 } ]
            """,
            files: ["secret": "123\u{20ac}"]
        )
        let response = try proxy.get("\(origin.url)/")
        #expect(response.status == 401)
        #expect(reason(of: response) == "credential.unusable")
        #expect(origin.requests.count == 1)
    }
}
