import Authentication
import Exchange
import Rules
import Testing

/// What rules decide besides which credential answers.
@Suite struct DispositionTests {
    private let basic = #"Basic realm="R""#
    private let own = get + "\r\nAuthorization: Bearer dummy"

    @Test("A-11 reject passes its offer over, default and cancel end the search")
    func dispositions() {
        let fallback = Rule.of(1, .use("staff"), methods: [.basic])
        let offers = unauthorized(#"Digest realm="R", qop="auth", nonce="n""#, basic)
        for (disposition, status, legs) in [
            (Disposition.rejectProtectionSpace, UInt16(200), 2), (.performDefaultHandling, 401, 1),
            (.cancelAuthenticationChallenge, 502, 1),
        ] {
            var drive = ExchangeDrive(.direct([.of(0, disposition, methods: [.digest]), fallback]))
            #expect(drive.exchange(get, offers, ok).status == status)
            #expect(drive.legs.count == legs)
        }
    }

    @Test("A-7b a rejection is recorded before another offer is answered, and before anything is told")
    func recorded() {
        let rules: [Rule] = [.of(0, .use("first"), realm: "one"), .of(1, .use("second"), realm: "two")]
        let offers = unauthorized(#"Basic realm="one""#, #"Basic realm="two""#)
        var drive = ExchangeDrive(.direct(rules))
        #expect(drive.exchange(get, offers, offers, ok).status == 200)
        #expect(drive.legsAtRejections == [2])
        #expect(drive.verdicts == ["rejected first", "confirmed second"])
        #expect(drive.exchange(get, offers, offers, offers).status == 401)
        #expect(drive.legsAtRejections == [1, 2])
        var behind = ExchangeDrive(.behindParent([.of(0, .use("proxy"), isProxy: true)]))
        #expect(behind.exchange(get, proxyRefusal(basic), proxyRefusal(basic)).status == 502)
        #expect(behind.legsAtRejections == [2])
        #expect(behind.machine.state == .finished)
    }

    @Test("A-13 a 407 reaches the client only by an explicit default")
    func proxyChallenge() {
        var silent = ExchangeDrive(.behindParent([]))
        #expect(silent.exchange(get, proxyRefusal(basic)).status == 502)
        var explicit = ExchangeDrive(.behindParent([.of(0, .performDefaultHandling, isProxy: true)]))
        guard case .relayed(407, let form) = explicit.exchange(get, proxyRefusal(basic)) else {
            Issue.record("no 407")
            return
        }
        #expect(form.keepsProxyChallenge)
    }

    @Test("A-13 a client's own Proxy-Authorization goes on only by an explicit default")
    func ownProxyAuthorization() {
        let request = get + "\r\nProxy-Authorization: Basic own"
        var silent = ExchangeDrive(.behindParent([]))
        _ = silent.exchange(request, ok)
        #expect(silent.value("Proxy-Authorization", ofLeg: 0) == nil)
        var direct = ExchangeDrive(.direct([]))
        _ = direct.exchange(request, ok)
        #expect(direct.value("Proxy-Authorization", ofLeg: 0) == nil)
        var explicit = ExchangeDrive(.behindParent([.of(0, .performDefaultHandling, isProxy: true)]))
        _ = explicit.exchange(request, ok)
        #expect(explicit.value("Proxy-Authorization", ofLeg: 0) == "Basic own")
    }

    @Test("A-13 who brings Authorization gets none of ours, but 407s are answered")
    func ownAuthorization() {
        let rules: [Rule] = [.of(0, .use("staff")), .of(1, .use("proxy"), isProxy: true)]
        var drive = ExchangeDrive(.behindParent(rules))
        #expect(drive.exchange(own, proxyRefusal(basic), unauthorized(basic), ok).status == 401)
        #expect(drive.legs.count == 2)
        #expect(drive.value("Authorization", ofLeg: 1) == "Bearer dummy")
        #expect(drive.value("Proxy-Authorization", ofLeg: 1) == basicValue)
    }

    @Test("A-23 the client's own credential is replaced or refused as the rule says")
    func clientCredential() {
        var refuse = ExchangeDrive(.direct([.of(0, .use("staff"), clientCredential: .refuse)]))
        #expect(refuse.exchange(own, ok).status == 403)
        #expect(refuse.legs.isEmpty)
        var replace = ExchangeDrive(.direct([.of(0, .use("staff"), clientCredential: .replace)]))
        #expect(replace.exchange(own, unauthorized(basic), ok).status == 200)
        #expect(!replace.legs.contains { $0.contains("dummy") })
    }

    @Test("A-23 a placeholder is replaced and nothing else is")
    func placeholder() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"), placeholder: "dummy")]))
        #expect(drive.exchange(own, unauthorized(basic), ok).status == 200)
        #expect(!drive.legs.contains { $0.contains("dummy") })
        let other = get + "\r\nAuthorization: Bearer other"
        #expect(drive.exchange(other, ok).status == 200)
        #expect(drive.value("Authorization", ofLeg: 0) == "Bearer other")
    }

    @Test("B-4 a body that isn't kept is told")
    func bodyNotKept() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        drive.keepsBody = false
        let ending = drive.exchange(
            "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3",
            unauthorized(basic),
            ok
        )
        #expect(ending.status == 401)
        #expect(ending.reason == "body.not-kept")
    }
}
