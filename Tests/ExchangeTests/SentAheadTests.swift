import Rules
import Testing

/// What goes ahead of any challenge, and what must not.
@Suite struct SentAheadTests {
    private static let basic = unauthorized("Basic realm=\"r\"")

    private func request(_ path: String, _ method: String = "GET", _ fields: String = "") -> String {
        "\(method) http://a.example\(path) HTTP/1.1\r\nHost: a.example\(fields)"
    }

    @Test(
        "A-9 Basic goes ahead only where all servers agree that the target lies below the directory",
        arguments: [
            ("/5/b", true), ("/5/c/d?e=../..", true), ("/5/..", false), ("/5/../7/", false), ("/5/%2e%2E/7/", false),
            ("/5/.%2e/7/", false), ("/5/a/..%2f..%2f7/", false), ("/5/..\\7/", false), ("/5/..;x/7/", false),
            ("/5//../../7/", false), ("/7/", false),
        ]
    )
    func basicBelow(_ path: String, _ isAhead: Bool) {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        #expect(drive.exchange(request("/5/a"), Self.basic, ok).status == 200)
        _ = drive.exchange(request(path), ok)
        #expect((drive.value("Authorization", ofLeg: 0) != nil) == isAhead)
    }

    @Test(
        "A-9 Digest goes ahead below its domain only where all servers agree on the target",
        arguments: [("/5/b", true), ("/5/../7/", false), ("/5/%2e%2e/7/", false)]
    )
    func digestBelow(_ path: String, _ isAhead: Bool) {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        let challenge = unauthorized(#"Digest realm="r", nonce="n", qop="auth", domain="/5/""#)
        #expect(drive.exchange(request("/5/a"), challenge, ok).status == 200)
        _ = drive.exchange(request(path), ok)
        #expect((drive.value("Authorization", ofLeg: 0) != nil) == isAhead)
    }

    @Test("A-9 no spelling of a path leads out of a whole origin", arguments: ["/", "/a/../b", "/%2e%2e/", "//x"])
    func whole(_ path: String) {
        for challenge in [#"Basic realm="r""#, #"Digest realm="r", nonce="n", qop="auth""#] {
            var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
            #expect(drive.exchange(request("/"), unauthorized(challenge), ok).status == 200)
            _ = drive.exchange(request(path), ok)
            #expect(drive.value("Authorization", ofLeg: 0) != nil)
        }
    }

    @Test("A-7c a scout sends no Digest value ahead, but waits for the challenge, which it may answer")
    func digestOfScout() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        let challenge = unauthorized(#"Digest realm="r", nonce="n", qop="auth""#)
        #expect(drive.exchange(request("/"), challenge, ok).status == 200)
        drive.isScout = true
        #expect(drive.exchange(request("/"), challenge, challenge).status == 401)
        #expect(drive.legs.map { $0.contains("Authorization: Digest") } == [false, true])
        #expect(drive.verdicts == ["no verdict on staff", "rejected staff"])
    }

    @Test("A-8 a scout sends Basic ahead, whose refusal is a verdict")
    func basicOfScout() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        #expect(drive.exchange(request("/"), Self.basic, ok).status == 200)
        drive.isScout = true
        #expect(drive.exchange(request("/"), Self.basic).status == 401)
        #expect(drive.verdicts == ["rejected staff"])
    }

    @Test("A-4 a value over the body (auth-int) is never sent ahead of a body, only where there is none")
    func overTheBody() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        let post = request("/", "POST", "\r\nContent-Length: 3")
        let challenge = unauthorized(#"Digest realm="r", nonce="n", qop="auth-int""#)
        #expect(drive.exchange(post, challenge, ok).status == 200)
        #expect(drive.exchange(post, challenge, ok).status == 200)
        #expect(drive.legs.count == 2 && drive.value("Authorization", ofLeg: 0) == nil)
        #expect(drive.value("Authorization", ofLeg: 1)?.contains("qop=auth-int") == true)
        #expect(drive.exchange(request("/"), ok).status == 200)
        #expect(drive.value("Authorization", ofLeg: 0)?.contains("qop=auth-int") == true)
    }
}
