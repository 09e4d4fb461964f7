extension ChallengeField {
    private static let longNonce = String(repeating: "AAYYL2Rpc2NvdmVyZWQ=", count: 60)

    /// curl's scripted replies.
    static let curl: [ChallengeField] = [
        digest(
            "H-53",
            #"Digest realm="test \"this\" realm!!", nonce="1053604145""#,
            realm: #"test "this" realm!!"#,
            echoed: [#"realm="test \"this\" realm!!""#, #"nonce="1053604145""#]
        ),
        digest(
            "H-55",
            #"Digest realm="testrealm", algorithm=MD5, nonce="999999", stale=true, qop="crazy, auth""#,
            realm: "testrealm",
            echoed: [#"nonce="999999""#, "algorithm=MD5", "qop=auth"],
            absent: ["stale"]
        ),
        basic("H-56", #"Basic "oh please""#, isProxy: true, realm: nil),
        basic("H-58", "Basic, Wild-and-crazy, NTLM", schemes: ["Basic", "Wild-and-crazy", "NTLM"], realm: nil),
        basic(
            "H-59",
            #"X-MobileMe-AuthToken realm="Newcastle", Basic realm="fun fun  fun""#,
            schemes: ["X-MobileMe-AuthToken", "Basic"],
            realm: "fun fun  fun"
        ),
        unanswered("H-61", "Negotiate RA==", schemes: ["Negotiate"]),
        digest(
            "H-62",
            #"Digest realm="r e a l m", nonce="\#(longNonce)", qop="auth", algorithm=MD5"#,
            realm: "r e a l m",
            echoed: [#"nonce="\#(longNonce)""#]
        ),
        digest(
            "H-64",
            #"Digest realm="My \"Cool\" Realm", nonce="1053604146""#,
            realm: #"My "Cool" Realm"#,
            echoed: [#"realm="My \"Cool\" Realm""#, #"nonce="1053604146""#]
        ),
        unanswered("H-65", "Magic-Negotiate", schemes: ["Magic-Negotiate"]),
        unanswered("H-67", "curl2000", schemes: ["curl2000"]),
        digest(
            "H-68",
            #"Digest realm="testrealm", algorithm="SHA-512-256", nonce="1053604144""#,
            realm: "testrealm",
            echoed: [#"nonce="1053604144""#, "algorithm=SHA-512-256"]
        ),
        digest(
            "H-70",
            #"Digest realm="r e a l m", nonce="abcdef""#,
            realm: "r e a l m",
            echoed: [#"realm="r e a l m""#, #"nonce="abcdef""#]
        ),
    ]

    /// Chromium and Gecko.
    static let browsers: [ChallengeField] = [
        unanswered("H-71", "NTLM  SGVsbG8sIFdvcmxkCg===", schemes: ["NTLM"]),
        basic("H-73a", #"Basic realm="foobar@baz.com"#, realm: "foobar@baz.com"),
        basic("H-73b", #"Basic realm=""#, realm: ""),
        unanswered("H-73c", #"Digest qop=auth-int, algorithm=md5, realm="foo"#, schemes: ["Digest"]),
        basic("H-74", "Basic realm=foobar@baz.com", realm: "foobar@baz.com"),
        digest(
            "H-76",
            #"Digest nonce="xyz", realm="Thunder Bluff", opaque=foobar"#,
            realm: "Thunder Bluff",
            echoed: [#"nonce="xyz""#, #"opaque="foobar""#]
        ),
        digest(
            "H-77",
            #"Digest nonce="xyz", realm="Thunder Bluff", domain="http://intranet.example.com/protection http://www.google.com""#,
            realm: "Thunder Bluff",
            echoed: [#"nonce="xyz""#],
            absent: ["domain"]
        ),
        digest(
            "H-79",
            #"Digest realm="Baztastic", nonce="AAAAAAAA", algorithm="md5-sess", qop=auth"#,
            realm: "Baztastic",
            echoed: [#"nonce="AAAAAAAA""#, "algorithm=md5-sess", "qop=auth"]
        ),
    ]

    /// httplib2, HttpClient, OkHttp, CPython and swift-corelibs-foundation.
    static let libraries: [ChallengeField] = [
        unanswered("H-80", #"Test realm="test realm" , foo=foo ,bar="bar", baz=baz,qux=qux"#, schemes: ["Test"]),
        digest(
            "H-82",
            #"Digest realm="2-comma-d", qop="auth-int", nonce="c0c8ff1", Basic realm="2-comma-b""#,
            schemes: ["Digest", "Basic"],
            realm: "2-comma-d",
            echoed: [#"nonce="c0c8ff1""#, "qop=auth-int"]
        ),
        basic(
            "H-83",
            #"Digest realm="com3d", Basic realm="com3b", WSSE realm="com3w", profile="token""#,
            schemes: ["Digest", "Basic", "WSSE"],
            realm: "com3b"
        ),
        digest(
            "H-85",
            #"Digest realm="myrealm", nonce="KBAA=3", algorithm=MD5, qop="auth", stale=true"#,
            realm: "myrealm",
            echoed: [#"nonce="KBAA=3""#]
        ),
        digest(
            "H-86",
            "Digest realm=\"brig\", qop \t=\t\"\tauth,auth-int\", nonce=\"(*)&^&$%#\",opaque=\"5ccc\", "
                + "Basic REAlm=\"zoo\", WSSE realm=\"very\", profile=\"UsernameToken\"",
            schemes: ["Digest", "Basic", "WSSE"],
            realm: "brig",
            echoed: [#"nonce="(*)&^&$%#""#, "qop=auth", #"opaque="5ccc""#]
        ),
        unanswered(
            "H-88",
            "scheme1 aaaa  , scheme2 aaaa==,  scheme3 aaaa=aaaa, scheme4 aaaa=",
            schemes: ["scheme1", "scheme2", "scheme3", "scheme4"]
        ),
        unanswered("H-89a", "This , ", schemes: ["This"]),
        unanswered("H-89b", "This = that", schemes: []),
        unanswered("H-91", #"Digest,,,, Basic ,,,realm="my\\\\"r\ealm""#, schemes: ["Digest", "Basic"]),
        unanswered("H-92", "Other realm=myotherrealm, realm=myrealm", schemes: ["Other"]),
        unanswered(
            "H-94",
            #"Digest qop="auth", underrealm="myrealm", nonce="1a2b3c", stale="FALSE""#,
            schemes: ["Digest"]
        ),
        basic("H-95", "Basic realm='realm2@example.com'", realm: "'realm2@example.com'"),
        unanswered("H-97", "Kerberos", schemes: ["Kerberos"]),
    ]

    /// The set of test.greenbytes.de.
    static let reschke: [ChallengeField] = [
        basic("H-98", #"Basic realm="foo""#, realm: "foo"),
        basic("H-100", #"BASIC REALM="foo""#, schemes: ["BASIC"], realm: "foo"),
        basic("H-101", "Basic realm=foo", realm: "foo"),
        basic("H-103", "Basic realm='foo'", realm: "'foo'"),
        basic("H-104", #"Basic realm="foo%20bar""#, realm: "foo%20bar"),
        basic("H-106", "Basic", realm: nil),
        unanswered("H-107", #"Basic realm="foo", realm="bar""#, schemes: ["Basic"]),
        basic("H-109", #"Basic realm="\f\o\o""#, realm: "foo"),
        basic("H-110", #"Basic realm="\"foo\"""#, realm: #""foo""#),
        basic("H-112", #"Basic bar="xyz", realm="foo""#, realm: "foo"),
        ChallengeField(
            id: "H-113a",
            values: [latin1("Basic realm=\"foo-\u{e4}\"")],
            schemes: ["Basic"],
            answer: Answer(scheme: "Basic", realm: latin1("foo-\u{e4}"))
        ),
        basic("H-113b", "Basic realm=\"foo-\u{e4}\"", realm: "foo-\u{e4}"),
        basic("H-113c", #"Basic realm="=?ISO-8859-1?Q?foo-=E4?=""#, realm: "=?ISO-8859-1?Q?foo-=E4?="),
        basic("H-115", #",Basic realm="basic""#, realm: "basic"),
        basic(
            "H-116",
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            schemes: ["Newauth", "Basic"],
            realm: "simple"
        ),
        unanswered("H-118", #"Newauth realm="newauth""#, schemes: ["Newauth"]),
        basic("H-119", #"Basic foo="realm=nottherealm", realm="basic""#, realm: "basic"),
        basic("H-121", #"Basic realm="basic"#, realm: "basic"),
    ]
}
