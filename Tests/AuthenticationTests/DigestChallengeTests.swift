import Authentication
import Bytes
import Crypto
import Testing

struct DigestChallengeTests {
    @Test("A-4 all that a challenge says is kept as it came")
    func reads() throws {
        let challenge = try DigestFixture.challenge(
            #"Digest REALM="r", nonce="a==", opaque="", algorithm="sha-256-SESS", qop="crazy, \#tauth-int", "#
                + #"stale="TRUE", userhash=true, charset="utf-8", domain="/a  http://h/b""#
        )
        #expect(challenge.realm == Array("r".utf8) && challenge.nonce == Array("a==".utf8) && challenge.opaque == [])
        #expect(challenge.algorithm == .sha256 && challenge.isSession)
        #expect(challenge.algorithmSpelling == Array("sha-256-SESS".utf8))
        #expect(challenge.qop == .authInt && challenge.isStale && challenge.userhash && challenge.namesUTF8)
        #expect(challenge.domain == [Array("/a".utf8), Array("http://h/b".utf8)])
        let bare = try DigestFixture.challenge(#"Digest nonce="n", realm="", stale=FALSE, charset=latin-1"#)
        #expect(bare.algorithm == .md5 && !bare.isSession && bare.algorithmSpelling == nil && bare.opaque == nil)
        #expect(bare.qop == .none && !bare.isStale && !bare.userhash && !bare.namesUTF8 && bare.domain.isEmpty)
        #expect(bare.realm.isEmpty)
    }

    @Test(
        "A-21 a challenge that can't be answered says why",
        arguments: [
            (#"Basic realm="r""#, AuthenticationError.notDigest),
            (#"Digest nonce="n""#, .realmMissing),
            (#"Digest realm="r""#, .nonceMissing),
            (#"Digest realm="r", nonce="""#, .nonceMissing),
            (#"Digest realm="r", nonce="n"#, .nonceMissing),
            (#"Digest nonce="n", realm="r"#, .realmMissing),
            (#"Digest realm="r", nonce="n", nonce="m""#, .challengeUnreadable),
            ("Digest QQ==", .challengeUnreadable),
            (#"Digest realm="r", nonce="n", algorithm=SHA-1"#, .algorithmUnknown),
            (#"Digest realm="r", nonce="n", algorithm=-sess"#, .algorithmUnknown),
            (#"Digest realm="r", nonce="n", algorithm="""#, .algorithmUnknown),
            (#"Digest realm="r", nonce="n", qop="auth-conf""#, .qopUnknown),
        ]
    )
    func refuses(_ field: String, _ error: AuthenticationError) {
        #expect(throws: error) { try DigestFixture.challenge(field) }
        #expect(DigestFixture.challenges(field).first.flatMap { DigestChallenge($0) } == nil)
        #expect(!error.reason.isEmpty)
    }

    @Test("A-2 a quote that never closes behind what Digest needs leaves the challenge usable")
    func unclosed() throws {
        let challenge = try DigestFixture.challenge(#"Digest realm="r", nonce="n", opaque="x"#)
        #expect(challenge.opaque == Array("x".utf8))
    }

    @Test(
        "A-4 auth is chosen whenever offered, auth-int only alone",
        arguments: [
            ("auth", DigestChallenge.QualityOfProtection.auth), ("auth-int,auth", .auth), ("AUTH", .auth),
            ("\tauth,auth-int", .auth), ("auth-int", .authInt), ("", .none), (" , ", .none),
        ]
    )
    func qop(_ list: String, _ expected: DigestChallenge.QualityOfProtection) throws {
        #expect(try DigestFixture.challenge(#"Digest realm="r", nonce="n", qop="\#(list)""#).qop == expected)
    }

    @Test("A-11 offers are ranked negotiate, bearer, SHA-512-256, SHA-256, ntlm, MD5, basic")
    func strength() throws {
        func digest(_ algorithm: String) throws -> Int {
            try DigestFixture.challenge(#"Digest realm="r", nonce="n", algorithm=\#(algorithm)"#).strength
        }
        let order = [
            AuthenticationMethod.negotiate.strength, AuthenticationMethod.bearer.strength,
            try digest("SHA-512-256-sess"),
            try digest("SHA256"), AuthenticationMethod.ntlm.strength, try digest("MD5-sess"),
            AuthenticationMethod.basic.strength,
        ]
        #expect(order == order.sorted(by: >))
        #expect(Set(order).count == order.count)
        #expect(AuthenticationMethod.digest.strength == (try digest("MD5")))
    }
}
