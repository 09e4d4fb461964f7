import Bytes
import Crypto
import Testing

@testable import Authentication

struct DigestSessionTests {
    private static let auth = DigestFixture.rfc7616 + #", algorithm=MD5, qop="auth, auth-int""#

    @Test("A-4 a value is quoted as RFC 7616, section 3.4 has it")
    func quoting() throws {
        let session = try DigestFixture.session(
            #"Digest realm="a \"b\"", nonce="n\\n", opaque="", algorithm="mD5", qop="auTH", charset=utf-8, userhash=TRUE"#,
            cnonce: "c"
        )
        // MD5("Mufasa:a "b""), MD5(MD5("Mufasa:a "b":Circle of Life"):n\n:00000001:c:auth:MD5("GET:/")) by md5sum.
        #expect(
            DigestFixture.value(session, "GET", "/")
                == #"Digest username="0a7c90ca72bf25f40c3d77dbda12106f", realm="a \"b\"", nonce="n\\n", uri="/", "#
                + #"response="e1cc06bf95ccd6526d0182eada2455fe", algorithm=mD5, cnonce="c", nc=00000001, qop=auth, opaque="", userhash=true"#
        )
    }

    @Test("A-4 without qop neither nc nor cnonce is sent, without an algorithm none")
    func rfc2069() throws {
        let session = try DigestFixture.session(#"Digest realm="r", nonce="n""#)
        // MD5(MD5("Mufasa:r:Circle of Life"):n:MD5("GET:/")) by md5sum.
        #expect(
            DigestFixture.value(session, "GET", "/")
                == #"Digest username="Mufasa", realm="r", nonce="n", uri="/", response="35a26c340ec2db75273c40da54213df2""#
        )
    }

    @Test("A-4 a -sess key without qop is told its cnonce, which it can't be checked without")
    func sessionWithoutQop() throws {
        let session = try DigestFixture.session(DigestFixture.rfc7616 + ", algorithm=MD5-sess")
        let value = DigestFixture.value(session)
        #expect(DigestFixture.parameter("response", of: value) == "37a7f42db2090a3fcac4e26e747d4fc8")
        #expect(DigestFixture.parameter("cnonce", of: value) == DigestFixture.rfc7616Nonce)
        #expect(DigestFixture.parameter("nc", of: value) == nil)
    }

    @Test("A-4b nc rises by one for each value of a nonce, and cnonce stays")
    func counts() throws {
        let session = try DigestFixture.session(Self.auth)
        for count in 1...3 {
            let value = DigestFixture.value(session)
            #expect(DigestFixture.parameter("nc", of: value) == "0000000\(count)")
            #expect(DigestFixture.parameter("cnonce", of: value) == DigestFixture.rfc7616Nonce)
            #expect(session.count == UInt32(count))
            if count == 2 {
                #expect(DigestFixture.parameter("response", of: value) == "4b5d595ecf2db9df612ea5b45cd97101")
            }
        }
    }

    @Test("A-4b a nonce ends with its last count")
    func exhausted() throws {
        let session = try DigestSession(
            challenge: try DigestFixture.challenge(Self.auth),
            credential: DigestFixture.mufasa,
            use: NonceUse(cnonce: Array(DigestFixture.rfc7616Nonce.utf8), firstCount: .max),
            ruleCharset: .utf8,
            digest: MessageDigest()
        )
        #expect(!session.isExhausted)
        let last = DigestFixture.value(session)
        #expect(DigestFixture.parameter("nc", of: last) == "ffffffff")
        #expect(DigestFixture.parameter("response", of: last) == "bf65a0259caf729a45ebe54b70497585")
        #expect(session.isExhausted)
        #expect(DigestFixture.value(session).isEmpty)
    }

    @Test("A-4b sessions of one nonce never use a count twice, and a nextnonce that is in use goes on")
    func shared() throws {
        let use = NonceUse(cnonce: Array("c".utf8))
        let sessions = try (0..<2).map { _ in
            try DigestSession(
                challenge: try DigestFixture.challenge(Self.auth),
                credential: DigestFixture.mufasa,
                use: use,
                ruleCharset: .utf8,
                digest: MessageDigest()
            )
        }
        let first = DigestFixture.value(sessions[0])
        #expect(DigestFixture.parameter("nc", of: first) == "00000001")
        let nonce = Array(try #require(DigestFixture.parameter("nonce", of: first)).utf8)
        #expect(DigestFixture.parameter("nc", of: DigestFixture.value(sessions[1])) == "00000002")
        sessions[0].adopt(nextNonce: nonce, use: NonceUse(cnonce: Array("other".utf8)))
        let third = DigestFixture.value(sessions[0])
        #expect(DigestFixture.parameter("nc", of: third) == "00000003")
        #expect(DigestFixture.parameter("cnonce", of: third) == "c")
    }

    @Test("A-4 auth-int hashes the body")
    func authInt() throws {
        let session = try DigestFixture.session(DigestFixture.rfc7616 + #", algorithm=MD5, qop="auth-int""#)
        #expect(session.qop == .authInt)
        let hash = MessageDigest().digest(session.algorithm, of: Array("hello".utf8).span)
        let value = DigestFixture.value(session, "POST", bodyHash: hash)
        #expect(DigestFixture.parameter("response", of: value) == "23fef4d928a3e9fa6e0b0de51288c997")
        #expect(DigestFixture.parameter("qop", of: value) == "auth-int")
    }

    @Test("A-4 V-R15 a name beyond ASCII goes to a server of RFC 7616 in the extended form")
    func extendedName() throws {
        let credential = Credential(name: "doe", username: "J\u{e4}s\u{f8}n Doe", password: Secret("x"))
        let session = try DigestFixture.session(#"Digest realm="r", nonce="n", charset=UTF-8"#, credential)
        #expect(DigestFixture.value(session).hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm="))
    }

    @Test(
        "A-4 a server that names no charset gets name and password in the rule's",
        arguments: [
            (Charset.utf8, "fbb51eb67bce0d3c52bf17b990450dac", [0xc3, 0xa4] as [UInt8]),
            (.latin1, "4c7c14c0b52eea6a52580a510deaba12", [0xe4]),
        ]
    )
    func charset(_ charset: Charset, _ response: String, _ letter: [UInt8]) throws {
        let credential = Credential(name: "jaes", username: "j\u{e4}s", password: Secret("p\u{e4}"))
        let session = try DigestFixture.session(#"Digest realm="r", nonce="n""#, credential, charset: charset)
        var buffer = ByteBuffer()
        let method = Array("GET".utf8)
        let target = Array("/".utf8)
        session.appendValue(
            method: method.span,
            target: target.span,
            bodyHash: nil,
            into: &buffer,
            digest: MessageDigest()
        )
        let value = [UInt8](buffer.readable)
        #expect(value.starts(with: Array("Digest username=\"j".utf8) + letter + Array("s\", ".utf8)))
        #expect(DigestFixture.parameter("response", of: String(decoding: value, as: UTF8.self)) == response)
    }

    @Test("A-4 a name that Latin-1 can't write is an error, and so is a control character in it")
    func unencodable() {
        let kanji = Credential(name: "k", username: "\u{6f22}", password: Secret("x"))
        let wide = Credential(name: "k", username: "x", password: Secret("\u{100}"))
        let line = Credential(name: "k", username: "a\r\nb", password: Secret("x"))
        let field = #"Digest realm="r", nonce="n""#
        #expect(throws: AuthenticationError.charsetUnencodable) {
            try DigestFixture.session(field, kanji, charset: .latin1)
        }
        #expect(throws: AuthenticationError.charsetUnencodable) {
            try DigestFixture.session(field, wide, charset: .latin1)
        }
        #expect(throws: AuthenticationError.controlCharacter) { try DigestFixture.session(field, line) }
    }

    @Test("A-5 nextnonce begins a new count with a new cnonce, and a -sess key stays")
    func nextNonce() throws {
        let session = try DigestFixture.session(Self.auth)
        _ = DigestFixture.value(session)
        session.adopt(nextNonce: Array(#"next"nonce"#.utf8), use: NonceUse(cnonce: Array("newcnonce".utf8)))
        let value = DigestFixture.value(session)
        #expect(DigestFixture.parameter("nonce", of: value) == #"next"nonce"#)
        #expect(DigestFixture.parameter("cnonce", of: value) == "newcnonce")
        #expect(DigestFixture.parameter("nc", of: value) == "00000001")
        #expect(DigestFixture.parameter("response", of: value) == "392d883638f46e213f2715b9bc1cdd8f")
        let keyed = try DigestFixture.session(DigestFixture.rfc7616 + ", algorithm=MD5-sess, qop=auth")
        _ = DigestFixture.value(keyed)
        keyed.adopt(nextNonce: Array(#"next"nonce"#.utf8), use: NonceUse(cnonce: Array("newcnonce".utf8)))
        let next = DigestFixture.value(keyed)
        #expect(DigestFixture.parameter("response", of: next) == "634b8cfafdd26c4f609aebda702e1bd4")
    }

    @Test(
        "A-5 rspauth is checked for qop auth",
        arguments: [
            (#"rspauth="9b712497bc9f91499fbcca1dfc5f09a5", qop=auth, nc=00000001"#, DigestSession.Verdict.right),
            (#"qop="auth", rspauth="9B712497BC9F91499FBCCA1DFC5F09A5""#, .right),
            (#"rspauth="9b712497bc9f91499fbcca1dfc5f09a5""#, .right),
            (#"rspauth="a3c5a69b70601bad90997cc31d0e52bb", qop=auth"#, .wrong),
            (#"rspauth="9b71", qop=auth"#, .wrong),
            (#"rspauth="""#, .wrong),
            (#"rspauth="9b712497bc9f91499fbcca1dfc5f09a6", qop=auth-int"#, .absent),
            (#"nextnonce="rspauth=""#, .absent),
            ("", .absent),
        ]
    )
    func responseAuthentication(_ field: String, _ verdict: DigestSession.Verdict) throws {
        let session = try DigestFixture.session(Self.auth)
        _ = DigestFixture.value(session)
        #expect(self.verdict(session, field) == verdict)
    }

    @Test("A-5 rspauth is of the last count, and of no other qop than auth")
    func responseAuthenticationCount() throws {
        let session = try DigestFixture.session(Self.auth)
        _ = DigestFixture.value(session)
        _ = DigestFixture.value(session)
        #expect(verdict(session, #"rspauth="a3c5a69b70601bad90997cc31d0e52bb", qop=auth"#) == .right)
        #expect(verdict(session, #"rspauth="9b712497bc9f91499fbcca1dfc5f09a5", qop=auth"#) == .wrong)
        let bare = try DigestFixture.session(DigestFixture.rfc7616)
        _ = DigestFixture.value(bare)
        #expect(verdict(bare, #"rspauth="9b712497bc9f91499fbcca1dfc5f09a5""#) == .absent)
    }

    @Test("A-25 a value of nearly 64 KiB is built, a longer one is an error")
    func longValues() throws {
        let long = String(repeating: "x", count: 60 * 1024)
        let session = try DigestFixture.session(#"Digest realm="r", nonce="\#(long)""#)
        #expect(DigestFixture.value(session).utf8.count > 60 * 1024)
        #expect(throws: AuthenticationError.valueTooLong) {
            try DigestFixture.session(#"Digest realm="r", nonce="\#(long)", opaque="\#(long)""#)
        }
    }

    @Test("A-2 a control character in a target doesn't reach the value")
    func controlCharacterInTarget() throws {
        let session = try DigestFixture.session(#"Digest realm="r", nonce="n""#)
        let value = DigestFixture.value(session, "GET", "/a\r\nX: y\u{0}")
        #expect(value.contains(#"uri="/aX: y""#))
    }

    private func verdict(_ session: DigestSession, _ field: String) -> DigestSession.Verdict {
        let field = Array(field.utf8)
        let target = Array("/dir/index.html".utf8)
        return session.verify(authenticationInfo: field.span, target: target.span, digest: MessageDigest())
    }
}
