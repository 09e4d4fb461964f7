import Authentication
import Bytes
import Testing

struct ChallengeParserTests {
    @Test("A-2 token68 and parameters are told apart")
    func token68() {
        let read = DigestFixture.challenges("scheme1 aaaa  , scheme2 aaaa==,  scheme3 aaaa=aaaa, scheme4 aaaa=")
        #expect(read.map { $0.token68.map(text) } == ["aaaa", "aaaa==", nil, "aaaa="])
        #expect(read[2].value("aaaa").map(text) == "aaaa")
        let padded = DigestFixture.challenges("NTLM  SGVsbG8sIFdvcmxkCg===, Negotiate YII/a+b-c._~==")
        #expect(padded.map { $0.token68.map(text) } == ["SGVsbG8sIFdvcmxkCg===", "YII/a+b-c._~=="])
        #expect(padded.allSatisfy { $0.isReadable })
    }

    @Test("A-2 parameters keep their order, blanks around = and commas are nothing")
    func parameters() {
        let read = DigestFixture.challenges(
            "Test realm=\"test realm\" , foo=foo ,BAR \t= \t\"bar\", baz=baz,qux=qux,,\t"
        )
        #expect(read.count == 1)
        #expect(read[0].parameters.map { text($0.name) } == ["realm", "foo", "bar", "baz", "qux"])
        #expect(read[0].parameters.map { text($0.value) } == ["test realm", "foo", "bar", "baz", "qux"])
        #expect(read[0].isWellFormed)
    }

    @Test("A-2 quoted-pairs lose their backslash, and what is quoted is text")
    func quotedStrings() {
        let read = DigestFixture.challenges(
            #"Newauth realm="a\\\"b\c, Basic realm=\"x\"", type=1, Basic realm="simple""#
        )
        #expect(read.count == 2)
        #expect(read[0].realm.map(text) == #"a\"bc, Basic realm="x""#)
        #expect(read[1].realm.map(text) == "simple")
    }

    @Test("A-2 an absent realm and an empty one differ")
    func realms() {
        #expect(DigestFixture.challenges("Basic")[0].realm == nil)
        #expect(DigestFixture.challenges(#"Basic Realm="""#)[0].realm == [])
        #expect(DigestFixture.challenges(#"Basic underrealm="x""#)[0].realm == nil)
    }

    @Test("A-2 parameters go on in the next field, a quote ends with its field")
    func fields() {
        let read = DigestFixture.challenges(#"Digest realm="r""#, #"nonce="n", Basic realm="open"#, #"Basic realm="b""#)
        #expect(read.map { $0.realm.map(text) } == ["r", "open", "b"])
        #expect(read[0].value("nonce").map(text) == "n")
        #expect(read[1].isReadable && !read[1].isWellFormed)
    }

    @Test(
        "A-2 a challenge that can't be parsed spoils no other",
        arguments: [
            #"Basic realm="a"b, Digest realm="r", nonce="n""#,
            #"Basic @junk "with, comma", Digest realm="r", nonce="n""#,
            #"Basic/x, Digest realm="r", nonce="n""#,
            #"Basic a b c, Digest realm="r", nonce="n""#,
            #"Basic QQ==, realm="x", Digest realm="r", nonce="n""#,
            #"Basic realm=x nonce=y, Digest realm="r", nonce="n""#,
            #"Basic realm="x", realm="y", Digest realm="r", nonce="n""#,
            "Basic realm=\"x\u{1}\", Digest realm=\"r\", nonce=\"n\"",
            "Basic realm=x\u{0}y, Digest realm=\"r\", nonce=\"n\"",
            "Basic realm=\"x\\\ry\", Digest realm=\"r\", nonce=\"n\"",
            "Basic realm=\"x\ny\", Digest realm=\"r\", nonce=\"n\"",
        ]
    )
    func neighbours(_ field: String) {
        let read = DigestFixture.challenges(field)
        #expect(read.count == 2)
        #expect(read[0].method == .basic && !read[0].isReadable)
        #expect(read[1].isReadable && DigestChallenge(read[1])?.nonce == Array("n".utf8))
    }

    @Test("A-2 a parameter named twice with one value is read once, with two it isn't answered")
    func duplicates() {
        let equal = DigestFixture.challenges(#"Basic realm="foo", REALM=foo"#)[0]
        #expect(equal.isReadable && equal.parameters.count == 1)
        #expect(!DigestFixture.challenges(#"Basic realm="foo", realm="Foo""#)[0].isReadable)
    }

    @Test("A-2 a comma that is missing behind a closed quote is read as if it were there")
    func missingComma() {
        let read = DigestFixture.challenges("Digest realm=\"r\" \tnonce=\"n\" qop=auth, Basic")
        #expect(read.count == 2)
        #expect(DigestChallenge(read[0])?.qop == .auth)
        #expect(!read[0].isWellFormed)
    }

    @Test("A-2 a parameter before any scheme belongs to nothing")
    func strayParameters() {
        #expect(DigestFixture.challenges("This = that, realm=\"x\"").isEmpty)
        #expect(DigestFixture.challenges(#"realm="Basic ", Basic realm="x""#).map { $0.realm.map(text) } == ["x"])
    }

    @Test("A-2 what a device should have quoted is read, and noted")
    func lenience() {
        for field in [
            "Basic realm=/", "Basic realm=a@b", "Basic realm=foo", #"Basic "oh please""#, "Basic a=b,realm=\"x",
        ] {
            let read = DigestFixture.challenges(field)
            #expect(read.count == 1 && read[0].isReadable && !read[0].isWellFormed, "\(field)")
        }
        #expect(DigestFixture.challenges(#"Basic realm="x", a=b"#)[0].isWellFormed)
    }

    @Test("A-2 a method is named by the whole scheme, in any case")
    func methods() {
        let read = DigestFixture.challenges(
            "bASIC, DIGEST a=b, ntlm, NEGOTIATE, Bearer, Magic-Negotiate, Negociate, Basics"
        )
        #expect(read.map(\.method) == [.basic, .digest, .ntlm, .negotiate, .bearer, nil, nil, nil])
        #expect(text(read[0].schemeName) == "bASIC")
    }

    @Test("S-2 challenges and parameters beyond all reason are left out")
    func bounds() {
        let schemes = DigestFixture.challenges((0..<1000).map { "s\($0)" }.joined(separator: ","))
        #expect(schemes.count == ChallengeParser.maximumChallengesOfScheme)
        let parameters = (0..<1000).map { "p\($0)=1" }.joined(separator: ",")
        let read = DigestFixture.challenges("Basic realm=\"x\", \(parameters), Digest realm=\"r\", nonce=\"n\"")
        #expect(read[0].parameters.count == ChallengeParser.maximumParameters && !read[0].isReadable)
        #expect(read[1].isReadable)
    }

    @Test("A-2 no number of challenges of other schemes hides one", arguments: ["Foo", "Basic", "s$"])
    func hidden(_ scheme: String) {
        var parser = ChallengeParser()
        for index in 0..<1000 {
            let name = scheme.last == "$" ? "s\(index)" : scheme
            parser.parse(Array("\(name) realm=\"r\(index)\"".utf8).span)
        }
        parser.parse(Array(#"Digest realm="last", nonce="n""#.utf8).span)
        let last = parser.finish().last
        #expect(last?.method == .digest && last?.isReadable == true)
    }

    @Test(
        "S-2 any input is read in linear time",
        .timeLimit(.minutes(1)),
        arguments: [
            "a,", "a a=", "\"", "\\\"", "a=\"\\", "Digest realm=\"x\" ", "a a a", "a=\"b\" ", ",", "\"\\\",", "a \" ",
        ]
    )
    func linear(_ piece: String) {
        let input = Array(String(repeating: piece, count: 512 * 1024 / piece.utf8.count).utf8)
        var parser = ChallengeParser()
        parser.parse(Array("Basic ".utf8).span)
        parser.parse(input.span)
        #expect(parser.finish().count <= ChallengeParser.maximumChallenges)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
