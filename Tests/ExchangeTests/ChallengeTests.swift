import Authentication
import Exchange
import Rules
import Testing

/// Whole exchanges from the request to the response that the client gets.
@Suite struct ChallengeTests {
    private let basic = #"Basic realm="R""#
    private let digest = #"Digest realm="R", qop="auth", nonce="n1""#

    @Test("A-12 a 401 that asks for Basic is answered and never seen")
    func basicAnswer() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        guard case .relayed(200, let form) = drive.exchange(get, unauthorized(basic), ok) else {
            Issue.record("no 200")
            return
        }
        #expect(form.isAnswered && form.isPrivate)
        #expect(drive.value("Authorization", ofLeg: 0) == nil)
        #expect(drive.value("Authorization", ofLeg: 1) == basicValue)
        #expect(drive.verdicts == ["confirmed staff"])
    }

    @Test("A-4b the counts of one nonce rise by one over exchanges")
    func digestCounts() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        #expect(drive.exchange(get, unauthorized(digest), ok).status == 200)
        #expect(drive.value("Authorization", ofLeg: 1)?.contains("nc=00000001") == true)
        #expect(drive.exchange(get, ok).status == 200)
        #expect(drive.legs.count == 1)
    }

    @Test("A-1 a 407 and a 401 of one exchange are answered together")
    func bothSides() {
        let rules: [Rule] = [.of(0, .use("staff")), .of(1, .use("proxy"), isProxy: true)]
        var drive = ExchangeDrive(.behindParent(rules))
        let ending = drive.exchange(get, proxyRefusal(basic), unauthorized(digest), ok)
        #expect(ending.status == 200)
        #expect(drive.legs.count == 3)
        #expect(drive.value("Proxy-Authorization", ofLeg: 1) == basicValue)
        #expect(drive.value("Proxy-Authorization", ofLeg: 2) == basicValue)
        #expect(drive.value("Authorization", ofLeg: 2)?.hasPrefix("Digest ") == true)
        #expect(drive.legs[2].hasPrefix("GET http://a.example/x/y HTTP/1.1\r\n"))
    }

    @Test("A-20 a CONNECT is answered over its own method and authority")
    func connect() {
        var drive = ExchangeDrive(.behindParent([.of(0, .use("proxy"), isProxy: true)], isTunnel: true))
        let request = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443"
        #expect(drive.exchange(request, proxyRefusal(digest), "HTTP/1.1 200 OK") == .tunnelled)
        let value = drive.value("Proxy-Authorization", ofLeg: 1)
        #expect(value?.contains(#"uri="a.example:443""#) == true)
    }

    @Test("A-5 three nonces may be stale, the fourth is told")
    func stale() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        let stale = (2...6).map { unauthorized(#"Digest realm="R", qop="auth", nonce="n\#($0)", stale=true"#) }
        let ending = drive.exchange(get, [unauthorized(digest)] + stale)
        #expect(ending.status == 401)
        #expect(ending.reason == "digest.stale")
        #expect(drive.legs.count == 5)
        #expect(!drive.verdicts.contains("rejected staff"))
    }

    @Test("A-6 a refused answer is a rejection, and the same credential isn't sent again")
    func rejection() {
        for challenge in [basic, digest] {
            var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
            let ending = drive.exchange(get, unauthorized(challenge), unauthorized(basic, digest), ok)
            #expect(ending.status == 401)
            #expect(ending.reason == "credential.rejected")
            #expect(drive.verdicts == ["rejected staff"])
            #expect(drive.legs.count == 2)
        }
    }

    @Test("A-6 another method may be answered by another credential")
    func another() {
        var drive = ExchangeDrive(
            .direct([.of(0, .use("first"), methods: [.digest]), .of(1, .use("second"), methods: [.basic])])
        )
        let ending = drive.exchange(get, unauthorized(digest), unauthorized(basic), ok)
        #expect(ending.status == 200)
        #expect(drive.verdicts.first == "rejected first")
        #expect(drive.value("Authorization", ofLeg: 2) == basicValue)
    }

    @Test("A-7 a withheld credential isn't sent and the challenge is told")
    func withheld() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        drive.withheld = ["staff"]
        let ending = drive.exchange(get, unauthorized(basic))
        #expect(ending.status == 401)
        #expect(ending.reason == "credential.withheld")
        #expect(drive.legs.count == 1)
    }

    @Test("A-18 an exchange has at most 8 answers")
    func limit() {
        let rules = (0..<12).map { Rule.of($0, .use("c\($0)"), methods: nil, realm: "r\($0)") }
        var drive = ExchangeDrive(.direct(rules))
        let refusals = (0..<12).map { unauthorized(#"Basic realm="r\#($0)""#) }
        let ending = drive.exchange(get, refusals)
        #expect(ending.status == 401)
        #expect(ending.reason == "challenge.limit")
        #expect(drive.legs.count == 9)
    }

    @Test("A-26 a TRACE isn't answered")
    func trace() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        let ending = drive.exchange(
            "TRACE http://a.example/ HTTP/1.1\r\nHost: a.example",
            unauthorized(basic),
            ok
        )
        #expect(ending.status == 401)
        #expect(drive.legs.count == 1)
    }
}
