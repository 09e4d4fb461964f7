import Authentication
import Bytes
import Crypto
import HTTP
import Testing

struct LearnedSpacesTests {
    private let alice = Credential(name: "alice", username: "alice", password: Secret("x"))
    private let bob = Credential(name: "bob", username: "bob", password: Secret("y"))
    private var spaces = LearnedSpaces(origin: Origin(scheme: .http, host: "h.example"))

    @Test("A-9 basic is sent ahead at and below the learned directory, its query cut, and nowhere else")
    mutating func directories() {
        let id = learnBasic("/a/b/c?d=/e/")
        for path in ["/a/b/", "/a/b/c", "/a/b/x/y?z", "/a/b/../x"] { #expect(match(path) == id, "\(path)") }
        for path in ["/a/b", "/a/", "/", "", "/a/bb/", "/A/b/", "*", "/?/a/b/"] {
            #expect(match(path) == nil, "\(path)")
        }
        #expect(spaces.value(of: id) == Secret("Basic eA=="))
    }

    @Test("A-9 an empty path is the root, and * is in no directory")
    mutating func root() {
        let id = learnBasic("")
        #expect(match("/") == id && match("/a/b") == id)
        #expect(match("*") == nil)
    }

    @Test("A-9 the deepest directory decides between realms, and the latest answer where both claim one")
    mutating func deepest() {
        let outer = learnBasic("/", realm: "outer")
        let inner = learnBasic("/a/", realm: "inner")
        #expect(match("/a/x") == inner && match("/x") == outer)
        #expect(learnBasic("/a/b/", realm: "outer") == outer)
        #expect(match("/a/b/c") == outer && match("/a/x") == inner)
        #expect(learnBasic("/a/", realm: "outer") == outer)
        #expect(match("/a/x") == outer)
        #expect(spaces.count == 2)
    }

    @Test("A-9 digest is sent ahead to the whole origin without domain, or with an empty one")
    mutating func wholeOrigin() throws {
        let id = try learnDigest(#"Digest realm="r", nonce="n""#)
        for path in ["/", "/x/y", "*"] { #expect(match(path) == id) }
        #expect(try learnDigest(#"Digest realm="r", nonce="m", domain=" ""#) == id)
        #expect(match("/x") == id)
        #expect(spaces[id]?.digestChallenge?.nonce == Array("m".utf8))
    }

    @Test(
        "A-9 domain is a list of prefixes within the origin, and other origins in it count for nothing",
        arguments: [
            ("/private", ["/private", "/private/x", "/privateer"], ["/", "/Private", "/x/private"]),
            ("/a /b/", ["/a/x", "/b/x", "/ab"], ["/b", "/c"]),
            ("http://h.example/a", ["/a/x"], ["/b"]),
            ("HTTP://H.example:80/a", ["/a"], ["/b"]),
            ("http://h.example", ["/", "/x"], []),
            ("//h.example/a", ["/a"], ["/b"]),
            ("http://other.example/ /a", ["/a"], ["/", "/b"]),
            ("http://intranet.example.com/protection http://www.google.com", [], ["/", "/protection"]),
            ("https://h.example/", [], ["/"]),
            ("http://h.example:8080/", [], ["/"]),
            ("http://u@h.example/", [], ["/"]),
            ("//other/", [], ["/"]),
            ("a ftp://h.example/ : :: http:/x http://", [], ["/", "/a", "/x"]),
        ]
    )
    mutating func domain(_ list: String, _ inside: [String], _ outside: [String]) throws {
        let id = try learnDigest(#"Digest realm="r", nonce="n", domain="\#(list)""#)
        for path in inside { #expect(match(path) == id, "\(path)") }
        for path in outside { #expect(match(path) == nil, "\(path)") }
    }

    @Test("A-9 of two digest realms the one that answered in the directory is sent ahead there")
    mutating func twoRealms() throws {
        let one = try learnDigest(#"Digest realm="one", nonce="n""#, path: "/one/")
        let two = try learnDigest(#"Digest realm="two", nonce="n""#, path: "/two/x")
        #expect(match("/one/x") == one && match("/two/y") == two)
    }

    @Test("A-9 a parent's spaces know neither path nor domain")
    func parents() throws {
        var spaces = LearnedSpaces.ofParent
        let challenge = try DigestFixture.challenge(#"Digest realm="r", nonce="n", domain="http://else/""#)
        let target = Array("www.example.com:443".utf8)
        let id = spaces.learn(credential: alice, ruleIndex: 0, challenge: challenge, path: target.span)
        #expect(spaces.match(path: target.span) == id)
        let basic = spaces.learn(
            credential: alice,
            ruleIndex: 0,
            realm: nil,
            basicValue: Secret("Basic eA=="),
            path: target.span
        )
        #expect(spaces.match(path: Array("http://x/y".utf8).span) == basic)
    }

    @Test("A-4b an idle nonce goes to one taker, the one used last first, and none is kept beyond the bound")
    mutating func sessions() throws {
        let field = #"Digest realm="r", nonce="n", qop="auth""#
        let id = try learnDigest(field)
        #expect(spaces.takeSession(id) == nil)
        let first = try DigestFixture.session(field)
        let second = try DigestFixture.session(field)
        spaces.giveBack(first, to: id)
        spaces.giveBack(second, to: id)
        #expect(spaces.takeSession(id) === second)
        #expect(spaces.takeSession(id) === first)
        #expect(spaces.takeSession(id) == nil)
        for _ in 0...LearnedSpaces.maximumIdleSessions { spaces.giveBack(try DigestFixture.session(field), to: id) }
        #expect(spaces.idleSessionCount(of: id) == LearnedSpaces.maximumIdleSessions)
        #expect(try learnDigest(#"Digest realm="r", nonce="m""#) == id)
        #expect(spaces.idleSessionCount(of: id) == LearnedSpaces.maximumIdleSessions)
    }

    @Test("S-4 what is forgotten takes its nonces along, and its id names nothing afterwards")
    mutating func forgets() throws {
        let field = #"Digest realm="r", nonce="n""#
        let id = try learnDigest(field)
        let other = learnBasic("/a/", credential: bob)
        spaces.giveBack(try DigestFixture.session(field), to: id)
        spaces.forget(credentialNamed: "alice")
        #expect(spaces[id] == nil && spaces.takeSession(id) == nil && spaces.ruleIndex(of: id) == nil)
        #expect(try learnDigest(field) != id)
        spaces.giveBack(try DigestFixture.session(field), to: id)
        #expect(spaces.takeSession(id) == nil)
        spaces.forget(other)
        #expect(match("/a/b") != other && spaces.count == 1)
    }

    @Test("S-4 a reload ties a space to its new rule or drops it")
    mutating func rebinds() {
        let kept = learnBasic("/a/")
        let dropped = learnBasic("/b/", credential: bob)
        let renewed = Credential(name: "alice", username: "alice", password: Secret("x"))
        spaces.rebind { $0.credential.name == "alice" ? (renewed, 7) : nil }
        #expect(spaces[kept]?.credential === renewed && spaces.ruleIndex(of: kept) == 7)
        #expect(spaces[dropped] == nil && match("/b/") == nil && match("/a/") == kept)
    }

    @Test("S-4 one space may have a credential for each rule, and only an allowed one is matched")
    mutating func rules() {
        let first = learnBasic("/a/", ruleIndex: 1)
        let second = learnBasic("/a/", credential: bob, ruleIndex: 2)
        #expect(match("/a/") == second)
        let path = Array("/a/".utf8)
        #expect(spaces.match(path: path.span) { $0 == 1 } == first)
        #expect(spaces.match(path: path.span) { $0 == 3 } == nil)
    }

    @Test("another loop learns the spaces, not the nonces")
    mutating func snapshots() throws {
        let field = #"Digest realm="r", nonce="n", domain="/d""#
        let id = try learnDigest(field, path: "/d/")
        spaces.giveBack(try DigestFixture.session(field), to: id)
        _ = learnBasic("/a/b/")
        var other = LearnedSpaces(origin: Origin(scheme: .http, host: "h.example"))
        other.adopt(spaces.snapshot)
        other.adopt(spaces.snapshot)
        #expect(other.count == 2)
        let basic = other.match(path: Array("/a/b/c".utf8).span)
        let digest = other.match(path: Array("/d/x".utf8).span)
        #expect(basic.flatMap { other[$0]?.method } == .basic)
        #expect(digest.flatMap { other[$0]?.method } == .digest)
        #expect(digest.map { other.idleSessionCount(of: $0) } == 0)
        #expect(other.match(path: Array("/x".utf8).span) == nil)
    }

    @Test("S-2 neither spaces nor directories grow without bound, and the oldest give way")
    mutating func bounds() {
        for number in 0...LearnedSpaces.maximumSpaces { _ = learnBasic("/\(number)/", realm: "\(number)") }
        #expect(spaces.count == LearnedSpaces.maximumSpaces)
        #expect(match("/0/") == nil && match("/1/") != nil)
        for number in 0..<1000 { _ = learnBasic("/d\(number)/", realm: "1") }
        #expect(match("/1/") == nil && match("/d0/") == nil && match("/d999/") != nil)
        _ = learnBasic("/" + String(repeating: "x", count: 2000) + "/", realm: "long")
        #expect(match("/" + String(repeating: "x", count: 2000) + "/y") == nil)
    }

    private mutating func learnBasic(
        _ path: String,
        realm: String = "r",
        credential: Credential? = nil,
        ruleIndex: Int = 0
    ) -> Int {
        spaces.learn(
            credential: credential ?? alice,
            ruleIndex: ruleIndex,
            realm: Array(realm.utf8),
            basicValue: Secret("Basic eA=="),
            path: Array(path.utf8).span
        )
    }

    private mutating func learnDigest(_ field: String, path: String = "/") throws -> Int {
        let challenge = try DigestFixture.challenge(field)
        return spaces.learn(credential: alice, ruleIndex: 0, challenge: challenge, path: Array(path.utf8).span)
    }

    private func match(_ path: String) -> Int? {
        spaces.match(path: Array(path.utf8).span)
    }
}
