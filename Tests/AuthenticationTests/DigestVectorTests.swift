import Authentication
import Bytes
import Crypto
import Testing

/// Published and independently recomputed values of Digest.
struct DigestVectorTests {
    struct Vector: Sendable, CustomStringConvertible {
        var id: String
        var user: String
        var password: String
        var challenge: String
        var cnonce = ""
        var method = "GET"
        var target: String
        var response: String
        var description: String { id }
    }

    private static let rfc2617 =
        #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", "#
        + #"opaque="5ccc069c403ebaf9f0171e9517f40e41""#

    /// RFC 2617, 3.5, and its errata: without qop the form of RFC 2069.
    private static let rfc2617Vectors = [
        ("V-R3", "Circle Of Life", #", qop="auth""#, "6629fae49393a05397450978507c4ef1"),
        ("V-R4", "CircleOfLife", "", "1949323746fe6a43ef61f9606e7febea"),
        ("V-R5", "Circle Of Life", "", "670fd8c2df070c60b045671b8b24ff02"),
    ].map { id, password, qop, response in
        Vector(
            id: id,
            user: "Mufasa",
            password: password,
            challenge: rfc2617 + qop,
            cnonce: "0a4f113b",
            target: "/dir/index.html",
            response: response
        )
    }

    /// RFC 7616, 3.9.1, and its other algorithms.
    private static let rfc7616Vectors = [
        ("V-R6", "MD5", "auth", "8ca523f5e9506fed4657c9700eebdbec"),
        ("V-R7", "SHA-256", "auth", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("V-R8", "MD5-sess", "auth", "e783283f46242139c486a698fec7211d"),
        ("V-R9", "SHA-256-sess", "auth", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ("V-R10", "SHA-512-256", "auth", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
        ("V-R11", "MD5", "auth-int", "8804a53d3640a40a4f73cea12c5ba451"),
        ("V-R12", "SHA-256", "auth-int", "8bdf6f15638e260831e905028de5450562816d093c9bfc5c13d3a46adcdde940"),
    ].map { id, algorithm, qop, response in
        Vector(
            id: id,
            user: "Mufasa",
            password: "Circle of Life",
            challenge: DigestFixture.rfc7616 + #", algorithm=\#(algorithm), qop="\#(qop)""#,
            cnonce: DigestFixture.rfc7616Nonce,
            target: "/dir/index.html",
            response: response
        )
    }

    private static let oblivion = #"Digest realm="Oblivion", nonce="nonce-value""#

    /// Chromium; V-D5 and V-D6 were made with an empty method, with GET they are the second value.
    private static let chromium = [
        Vector(
            id: "V-D1",
            user: "foo",
            password: "bar",
            challenge:
                #"Digest realm="DRealm1", nonce="claGgoRXBAA=7583377687842fdb7b56ba0555d175baa0b800e3", qop="auth""#,
            cnonce: "082c875dcb2ca740",
            target: "/test/drealm1",
            response: "bcfaa62f1186a31ff1b474a19a17cf57"
        ),
        Vector(
            id: "V-D2",
            user: "foo bar",
            password: "",
            challenge:
                #"Digest realm="DRealm1", nonce="Ure30oRXBAA=7eca98bbf521ac6642820b11b86bd2d9ed7edc70", qop="auth""#,
            cnonce: "082c875dcb2ca740",
            target: "/test/drealm1/",
            response: "93c9c6d5930af3b0eb26c745e02b04a0"
        ),
        Vector(
            id: "V-D3",
            user: "FooBar",
            password: "pass",
            challenge: oblivion,
            target: "/",
            response: "f72ff54ebde2f928860f806ec04acd1b"
        ),
        Vector(
            id: "V-D4",
            user: "USER",
            password: "123",
            challenge: #"Digest realm="Baztastic", nonce="AAAAAAAA", algorithm="md5-sess", qop=auth"#,
            cnonce: "15c07961ed8575c4",
            target: "/",
            response: "cbc1139821ee7192069580570c541a03"
        ),
        Vector(
            id: "V-D8",
            user: "",
            password: "pass",
            challenge:
                #"Digest realm="DRealm1", nonce="7thGplhaBAA=41fb92453c49799cf353c8cd0aabee02d61a98a8", qop="auth""#,
            cnonce: "6509bc74daed8263",
            target: "/test/drealm1/",
            response: "bc597110f41a62d07f8b70b6977fcb61"
        ),
        Vector(
            id: "V-D9",
            user: "",
            password: "",
            challenge:
                #"Digest realm="DRealm1", nonce="s3MzvFhaBAA=4c520af5acd9d8d7ae26947529d18c8eae1e98f4", qop="auth""#,
            cnonce: "1522e61005789929",
            target: "/test/drealm1/",
            response: "22cfa2b30cb500a9591c6d55ec5590a8"
        ),
    ]

    private static let chromiumMethods = [
        ("V-D5", "", "", "/path/to/resource", "6779f90bd0d658f937c1af967614fe84"),
        ("V-D5 with GET", "", "GET", "/path/to/resource", "563486943aa79e6b3d5fd9176f656e9d"),
        ("V-D6", ", qop=auth", "", "/path/to/resource", "5b1459beda5cee30d6ff9e970a69c0ea"),
        ("V-D6 with GET", ", qop=auth", "GET", "/path/to/resource", "8428c16d15f2d6964e29398a2cd78487"),
        ("V-D7", "", "CONNECT", "www.example.com:443", "3270da8467afbe9ddf2334a48d46e9b9"),
        ("V-D7 for ws", "", "CONNECT", "www.example.com:80", "aa1df184f68d5b6ab9d9aa4f88e41b4c"),
    ].map { id, qop, method, target, response in
        Vector(
            id: id,
            user: "foo",
            password: "bar",
            challenge: oblivion + qop,
            cnonce: "client_nonce",
            method: method,
            target: target,
            response: response
        )
    }

    private static let realm1 = #"Digest realm="realm1", nonce="f2a3f18799759d4f1a1c068b92b573cb""#

    /// Apache HttpClient, whose method is `Simple`; for V-H3 it hashes the hashed name, which RFC 7616, 3.4.4 doesn't.
    private static let httpClient = [
        ("V-H1", "", "/", "e95a7ddf37c2eab009568b1ed134f89a"),
        ("V-H2", "", "/?param=value", "a847f58f5fef0bc087bcb9c3eb30e042"),
        ("V-H3", ", userhash=true", "/", "e95a7ddf37c2eab009568b1ed134f89a"),
    ].map { id, userhash, target, response in
        Vector(
            id: id,
            user: "username",
            password: "password",
            challenge: realm1 + userhash,
            method: "Simple",
            target: target,
            response: response
        )
    }

    /// httplib2 and curl.
    private static let others = [
        Vector(
            id: "V-L1",
            user: "joe",
            password: "password",
            challenge: #"Digest realm="myrealm", nonce="KBAA=35", qop="auth""#,
            cnonce: "33033375ec278a46",
            target: "/test/digest/",
            response: "de6d4a123b80801d0e94550411b6283f"
        ),
        Vector(
            id: "V-L2",
            user: "joe",
            password: "password",
            challenge: #"Digest realm="myrealm", nonce="30352fd", opaque="atestopaque", qop="auth""#,
            cnonce: "5ec2",
            target: "/digest/opaque/",
            response: "a1fab43041f8f3789a447f48018bee48"
        ),
    ]

    private static let curl = [
        ("V-C1", "", #"/64""#, "1ee14b238b3259f17602e9ce41491ef9"),
        (
            "V-C2", ", algorithm=SHA-512-256", "/2062",
            "9d3256ee6526ec40dd48743bb48e51ee9baba587c78f15c3a86166242150af98"
        ),
        (
            "V-C3", ", algorithm=SHA-256, userhash=true", "/2063",
            "6c470aec384ab1d4e12d3ce1f5b08303d8cad177e52ebe50ec1a3e141adb0cdc"
        ),
    ].map { id, more, target, response in
        Vector(
            id: id,
            user: "testuser",
            password: "testpass",
            challenge: #"Digest realm="testrealm", nonce="1053604145""# + more,
            target: target,
            response: response
        )
    }

    private static let rfcs = rfc2617Vectors + rfc7616Vectors
    private static let clients = chromium + chromiumMethods + httpClient + others + curl

    @Test("A-4 a response is that of the RFC or its erratum", arguments: rfcs)
    func standards(_ vector: Vector) throws {
        try check(vector)
    }

    @Test("A-4 a response is that of other clients, A-20 over the method and target that are sent", arguments: clients)
    func programs(_ vector: Vector) throws {
        try check(vector)
    }

    @Test("A-4 V-R13 SHA-512-256 and userhash are as erratum 4897 has them, not as RFC 7616 prints them")
    func userhash() throws {
        let credential = Credential(name: "doe", username: "J\u{e4}s\u{f8}n Doe", password: Secret("Secret, or not?"))
        let session = try DigestFixture.session(
            #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, "#
                + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
                + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#,
            credential,
            cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
        )
        let value = DigestFixture.value(session, "GET", "/doe.json")
        #expect(
            DigestFixture.parameter("username", of: value)
                == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
        )
        #expect(
            DigestFixture.parameter("response", of: value)
                == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"
        )
        #expect(value.hasSuffix(", userhash=true"))
    }

    @Test("A-4 V-C3 the hashed name is that of curl")
    func curlUserhash() throws {
        let credential = Credential(name: "test", username: "testuser", password: Secret("testpass"))
        let session = try DigestFixture.session(
            #"Digest realm="testrealm", nonce="1053604145", algorithm=SHA-256, userhash=true"#,
            credential
        )
        #expect(
            DigestFixture.parameter("username", of: DigestFixture.value(session))
                == "75af8a3500f771e58a52093a25e7905d6e428a511285c12ea1420c73078dfd61"
        )
    }

    @Test("A-4 V-C1 a quote in the uri is hashed plain and sent with a backslash")
    func quoteInTarget() throws {
        let session = try DigestFixture.session(#"Digest realm="testrealm", nonce="1053604145""#)
        #expect(DigestFixture.value(session, "GET", #"/64""#).contains(#", uri="/64\"", response="#))
    }

    private func check(_ vector: Vector) throws {
        let credential = Credential(name: "test", username: vector.user, password: Secret(vector.password))
        let session = try DigestFixture.session(vector.challenge, credential, cnonce: vector.cnonce)
        let value = DigestFixture.value(session, vector.method, vector.target)
        #expect(DigestFixture.parameter("response", of: value) == vector.response)
    }
}
