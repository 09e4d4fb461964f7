extension ChallengeField {
    private static let qopLess = ["qop", "nc", "cnonce"]

    /// Devices, servers and APIs, from bug reports.
    static let devices: [ChallengeField] = cameras + servers + applications

    private static let cameras: [ChallengeField] = [
        digest(
            "H-01",
            #"Digest realm="Login to AMC032228BG3640053",qop="auth",nonce="203186416",opaque="fcc93b814b02e8de2f18c4d061c842a56af1d597""#,
            realm: "Login to AMC032228BG3640053",
            echoed: [
                #"realm="Login to AMC032228BG3640053""#, #"nonce="203186416""#, "qop=auth", "nc=00000001",
                #"opaque="fcc93b814b02e8de2f18c4d061c842a56af1d597""#,
            ],
            absent: ["algorithm", "userhash"]
        ),
        digest(
            "H-02",
            #"Digest qop="auth", realm="thermostat", nonce="1612605593""#,
            realm: "thermostat",
            echoed: [#"realm="thermostat""#, #"nonce="1612605593""#, "qop=auth"],
            absent: ["algorithm", "opaque"]
        ),
        digest(
            "H-04",
            #"Digest realm="IP Camera(C2183)", nonce="6ab4f01db5f4d2e6a3e1", stale="FALSE""#,
            #"Basic realm="IP Camera(C2183)""#,
            schemes: ["Digest", "Basic"],
            realm: "IP Camera(C2183)",
            echoed: [#"realm="IP Camera(C2183)""#, #"nonce="6ab4f01db5f4d2e6a3e1""#],
            absent: qopLess + ["stale", "algorithm"]
        ),
        digest(
            "H-05",
            #"Digest realm="iPOLiS", nonce="2CB39FCBBE5843DA3430129B4EA1414C""#,
            realm: "iPOLiS",
            echoed: [#"nonce="2CB39FCBBE5843DA3430129B4EA1414C""#],
            absent: qopLess + ["algorithm"]
        ),
        basic("H-07", #"Basic realm="/""#, realm: "/"),
        basic("H-08", "Basic realm=/", realm: "/"),
        digest(
            "H-10",
            #"Digest qop="auth", realm="shellypro4pm-f008d1d8b8b8", nonce="MTcxNjQ4Mjk0NA==", algorithm=SHA-256, stale=true"#,
            realm: "shellypro4pm-f008d1d8b8b8",
            echoed: [#"nonce="MTcxNjQ4Mjk0NA==""#, "algorithm=SHA-256", "nc=00000001"]
        ),
        digest(
            "H-11",
            #"Digest qop="auth", realm="shellyplus1-a8032ab12345", nonce="NjZhM2Y0ZDE=", algorithm=SHA-256"#,
            realm: "shellyplus1-a8032ab12345",
            echoed: [#"nonce="NjZhM2Y0ZDE=""#, "nc=00000001"]
        ),
        digest(
            "H-13",
            #"Digest qop="auth", realm="wallbox", nonce="5f1c2d3e", algorithm=SHA256"#,
            realm: "wallbox",
            echoed: [#"nonce="5f1c2d3e""#, "algorithm=SHA256"]
        ),
    ]

    private static let servers: [ChallengeField] = [
        digest(
            "H-14",
            #"Digest qop="auth",algorithm=MD5-sess,nonce="+Upgraded+v18bdb7daaaf8c6ae0d5f2a1b",charset=utf-8,realm="testrealm""#,
            realm: "testrealm",
            echoed: [#"nonce="+Upgraded+v18bdb7daaaf8c6ae0d5f2a1b""#, "algorithm=MD5-sess", "qop=auth"],
            absent: ["charset"]
        ),
        digest(
            "H-16",
            #"Digest realm="The Digest realm, Digest nonce=1", nonce="c3f1a2", qop="auth""#,
            realm: "The Digest realm, Digest nonce=1",
            echoed: [#"realm="The Digest realm, Digest nonce=1""#, #"nonce="c3f1a2""#]
        ),
        digest(
            "H-17",
            #"Digest realm="CUPS" nonce="127.0.0.1""#,
            realm: "CUPS",
            echoed: [#"realm="CUPS""#, #"nonce="127.0.0.1""#],
            absent: qopLess
        ),
        digest(
            "H-19",
            #"Digest realm="/", nonce="a4b8c8d7e0f6a7b2c3d2e4f5a4b7c5d2", algorithm="MD5", qop="auth""#,
            realm: "/",
            echoed: [#"realm="/""#, "algorithm=MD5", "qop=auth"]
        ),
        digest(
            "H-20",
            #"Digest nonce="a5f2b8c1", opaque="d9e4c3", realm="me@kennethreitz.com", qop=auth"#,
            realm: "me@kennethreitz.com",
            echoed: [#"realm="me@kennethreitz.com""#, #"opaque="d9e4c3""#, "qop=auth"]
        ),
        digest(
            "H-22",
            #"Digest realm="testrealm@host.com",qop="auth,auth-int",nonce="58c14d4f65719",opaque="5ccc069c403ebaf9""#,
            realm: "testrealm@host.com",
            echoed: [#"nonce="58c14d4f65719""#, "qop=auth", #"opaque="5ccc069c403ebaf9""#]
        ),
        basic("H-23", #"Basic realm="Unit, Organization""#, realm: "Unit, Organization"),
        digest(
            "H-25",
            #"Digest realm="foo\"bar", nonce="n""#,
            realm: #"foo"bar"#,
            echoed: [#"realm="foo\"bar""#, #"nonce="n""#],
            absent: qopLess
        ),
        unanswered("H-26", #"Digest realm="Authenticate please"#, schemes: ["Digest"]),
        digest(
            "H-28",
            #"Digest realm="ESP32", qop="auth", nonce="0b1c2d3e4f", opaque="5a6b7c""#,
            realm: "ESP32",
            echoed: [#"nonce="0b1c2d3e4f""#, #"opaque="5a6b7c""#],
            absent: ["algorithm"]
        ),
        digest(
            "H-29",
            #"Digest qop="auth",nonce="9f0c",opaque="8e1d",realm="TR-069""#,
            realm: "TR-069",
            echoed: [#"realm="TR-069""#, #"nonce="9f0c""#, #"opaque="8e1d""#]
        ),
        digest(
            "H-31",
            #"Digest qop="auth", realm="monero-rpc", nonce="HmKc1v7r", algorithm=MD5"#,
            #"Digest qop="auth", realm="monero-rpc", nonce="HmKc1v7r", algorithm=MD5-sess"#,
            schemes: ["Digest", "Digest"],
            realm: "monero-rpc",
            echoed: [#"nonce="HmKc1v7r""#, "algorithm=MD5"]
        ),
    ]

    private static let applications: [ChallengeField] = [
        basic(
            "H-32",
            #"Basic realm="localhost""#,
            "Negotiate",
            "NTLM",
            schemes: ["Basic", "Negotiate", "NTLM"],
            realm: "localhost"
        ),
        unanswered("H-34", "Negociate", "NTLM", schemes: ["Negociate", "NTLM"]),
        basic(
            "H-35",
            "Negotiate",
            "NTLM",
            #"Basic realm="tfs.example.com""#,
            schemes: ["Negotiate", "NTLM", "Basic"],
            realm: "tfs.example.com"
        ),
        basic(
            "H-37",
            #"Bearer realm="example.com", charset="UTF-8""#,
            #"Basic realm="example.com", charset="UTF-8""#,
            schemes: ["Bearer", "Basic"],
            realm: "example.com"
        ),
        basic(
            "H-38",
            #"Basic realm="https://my.domain.com""#,
            #"OAuth realm="https://my.domain.com""#,
            schemes: ["Basic", "OAuth"],
            realm: "https://my.domain.com"
        ),
        unanswered(
            "H-40",
            #"Bearer realm="https://uk-london-1.ocir.io/12345678/docker/token",service="uk-london-1.ocir.io",scope="""#,
            schemes: ["Bearer"]
        ),
        unanswered("H-41", #"Bearer realm="https://registry.example.com/token""#, schemes: ["Bearer"]),
        basic("H-43", #"Basic Realm="""#, realm: ""),
        digest(
            "H-44",
            #"Digest realm="Test", domain="/HTTP/Digest", nonce="be2e96ad8ab8acb7ccfb49bc7e162914""#,
            realm: "Test",
            echoed: [#"nonce="be2e96ad8ab8acb7ccfb49bc7e162914""#],
            absent: qopLess + ["domain"]
        ),
        digest(
            "H-46",
            #"Digest realm="realm1", nonce="uzjBOXVhBgA=96b3e0e2d1c6b8f3a4e5", algorithm=MD5, domain="/Digest/realm1 /Digest/more", qop="auth""#,
            realm: "realm1",
            echoed: [#"nonce="uzjBOXVhBgA=96b3e0e2d1c6b8f3a4e5""#, "algorithm=MD5", "qop=auth"]
        ),
        digest(
            "H-47",
            #"Digest realm="Test Realm", qop="auth",nonce="5d41402abc4b2a76b9719d911017c592", "#,
            isProxy: true,
            realm: "Test Realm",
            echoed: [#"nonce="5d41402abc4b2a76b9719d911017c592""#, "qop=auth"]
        ),
        ChallengeField(
            id: "H-49a",
            values: [latin1("Basic realm=\"foo-\u{e4}\"")],
            schemes: ["Basic"],
            answer: Answer(scheme: "Basic", realm: latin1("foo-\u{e4}"))
        ),
        basic("H-49b", "Basic realm=\"foo-\u{e4}\"", realm: "foo-\u{e4}"),
        ChallengeField(
            id: "H-49c",
            values: [latin1("Digest nonce=\"xyz\", realm=\"foo-\u{e5}\"")],
            schemes: ["Digest"],
            answer: Answer(
                scheme: "Digest",
                realm: latin1("foo-\u{e5}"),
                echoed: [latin1("realm=\"foo-\u{e5}\"")],
                absent: qopLess
            )
        ),
        basic("H-50", #"Basic realm="\"f\oo_bar""#, realm: #""foo_bar"#),
        digest(
            "H-52a",
            #"Digest realm="\#(longText)", nonce="n""#,
            realm: longText,
            echoed: [#"realm="\#(longText)""#]
        ),
        digest(
            "H-52b",
            #"Digest realm="r", nonce="n", domain="/\#(longText)""#,
            realm: "r",
            echoed: [#"realm="r""#],
            absent: ["domain"]
        ),
    ]

    /// More than the 32 KiB at which a browser gave up.
    private static let longText = String(repeating: "0123456789abcdef", count: 33 * 64)
}
