import Crypto
import Testing

@testable import Demonstration

/// The verifying half of Digest on the examples of RFC 7616 s.3.9.1.
@Suite struct DigestVerificationTests {
    private static let user = DemonstrationUser(name: "Mufasa", password: "Circle of Life")

    private func verdict(_ algorithm: DigestAlgorithm, response: String) -> DigestVerification.Verdict {
        let credentials = """
            Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", \
            algorithm=\(algorithm == .md5 ? "MD5" : "SHA-256"), nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
            nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let request = DigestVerification.Request(
            method: Array("GET".utf8),
            target: Array("/dir/index.html".utf8),
            realm: "http-auth@example.org",
            algorithm: algorithm
        )
        return DigestVerification().verdict(on: Array(credentials.utf8), request, Self.user)
    }

    /// Nobody here made the standard's nonce, so what is right is stale.
    @Test func `the standard's responses are right`() {
        #expect(verdict(.md5, response: "8ca523f5e9506fed4657c9700eebdbec") == .stale)
        let response = "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        #expect(verdict(.sha256, response: response) == .stale)
    }

    @Test func `any other response is wrong`() {
        #expect(verdict(.md5, response: "8ca523f5e9506fed4657c9700eebdbed") == .wrong)
        #expect(verdict(.sha256, response: "8ca523f5e9506fed4657c9700eebdbec") == .wrong)
        #expect(verdict(.md5, response: "") == .wrong)
    }

    @Test func `Basic is read with its scheme in any case`() {
        let user = DemonstrationUser(name: "Aladdin", password: "open sesame")
        // RFC 7617 s.2.
        #expect(user.isBasic(Array("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==".utf8)))
        #expect(user.isBasic(Array("bASIC QWxhZGRpbjpvcGVuIHNlc2FtZQ==".utf8)))
        #expect(!user.isBasic(Array("Basic QWxhZGRpbjpvcGVuIHNlc2FtZR==".utf8)))
        #expect(!user.isBasic(Array("Basic".utf8)))
    }
}
