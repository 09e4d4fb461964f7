import Exchange
import Testing

/// Exchanges whose clients leave before the response.
@Suite struct UnattendedTests {
    private let basic = #"Basic realm="R""#
    private let digest = #"Digest realm="R", nonce="n", qop="auth""#

    private func drive(_ leg: Int, isScout: Bool = true) -> ExchangeDrive {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff")), .of(1, .use("other"), realm: "S")]))
        drive.isScout = isScout
        drive.leavesBehind = leg
        return drive
    }

    @Test(
        "A-7 the verdict on a scout's value is learned without its client, and nothing else follows",
        arguments: [
            ("401", "rejected staff"), ("200", "confirmed staff"), ("404", "confirmed staff"),
        ]
    )
    func verdict(_ status: String, _ verdict: String) {
        for scheme in [basic, digest] {
            var drive = drive(2)
            let last =
                status == "401"
                ? unauthorized(scheme, #"Basic realm="S""#) : "HTTP/1.1 \(status) X\r\nContent-Length: 0"
            #expect(drive.exchange(get, unauthorized(scheme), last, ok) == .abandoned)
            #expect(drive.verdicts == [verdict])
            #expect(drive.legs.count == 2)
            #expect(drive.holdsLedgerPlace == false)
        }
    }

    @Test("A-7 the same of a parent's 407, and of a CONNECT", arguments: [false, true])
    func parent(_ isTunnel: Bool) {
        let request = isTunnel ? "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443" : get
        for (last, verdict) in [(proxyRefusal(basic), "rejected staff"), (ok, "confirmed staff")] {
            var drive = ExchangeDrive(.behindParent([.of(0, .use("staff"), isProxy: true)], isTunnel: isTunnel))
            drive.isScout = true
            drive.leavesBehind = 2
            #expect(drive.exchange(request, proxyRefusal(basic), last, ok) == .abandoned)
            #expect(drive.verdicts == [verdict])
        }
    }

    @Test("A-8 the role passes on where no verdict can come of it")
    func noVerdict() {
        let stale = unauthorized(#"Digest realm="R", nonce="m", qop="auth", stale=true"#)
        for (scheme, last) in [(basic, "HTTP/1.1 503 X\r\nContent-Length: 0"), (digest, stale)] {
            var drive = drive(2)
            #expect(drive.exchange(get, unauthorized(scheme), last, ok) == .abandoned)
            #expect(!drive.verdicts.contains { $0.hasPrefix("rejected") || $0.hasPrefix("confirmed") })
            #expect((drive.holdsLedgerPlace == true) || drive.verdicts == ["no verdict on staff"])
            #expect(drive.legs.count == 2)
        }
    }

    @Test("H-10 a client that leaves ends its exchange where nothing was sent that others wait for")
    func ends() {
        var early = drive(1)
        #expect(early.exchange(get, unauthorized(basic), ok) == .abandoned)
        #expect(early.legs.count == 1 && early.verdicts.isEmpty)
        var confirmed = drive(2, isScout: false)
        #expect(confirmed.exchange(get, unauthorized(basic), ok) == .abandoned)
        #expect(confirmed.verdicts.isEmpty)
    }

    @Test("H-10 without its client a leg is not sent again, and an interim response is not the last")
    func noRepeat() {
        var lost = drive(2)
        #expect(lost.exchange(get, unauthorized(basic)) == .unfinished)
        #expect(lost.isUnattended == true)
        let error = ExchangeError(.closedBeforeResponse, .upstream)
        let end = lost.machine.connectionLost(isUntouched: true, isSent: true, error: error)
        #expect(end == .abandon)
        #expect(lost.holdsLedgerPlace == true)
        var late = drive(2)
        #expect(late.exchange(get, unauthorized(basic)) == .unfinished)
        let lateEnd = late.machine.deadlinePassed()
        #expect(lateEnd == .abandon)
        var interim = drive(2)
        #expect(interim.exchange(get, unauthorized(basic), "HTTP/1.1 103 X", unauthorized(basic)) == .abandoned)
        #expect(interim.verdicts == ["rejected staff"])
    }

    @Test("A-7 a request that is refused while its value is judged has its response, and the verdict is learned")
    func refused() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        drive.isScout = true
        #expect(drive.exchange(get, unauthorized(basic)) == .unfinished)
        let response = ExchangeError(.requestTimedOut, .client).response
        let step = drive.machine.refuse(response)
        #expect(step == .dismiss(response))
        #expect(drive.isUnattended == true)
        var other = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        #expect(other.exchange(get, unauthorized(basic)) == .unfinished)
        let otherStep = other.machine.refuse(response)
        #expect(otherStep == .respond(response))
    }

    @Test("A-8 who waits gives its place back when its client leaves")
    func waiting() {
        var drive = ExchangeDrive(.direct([.of(0, .use("staff"))]))
        drive.isWaiting = true
        #expect(drive.exchange(get, unauthorized(basic)) == .unfinished)
        #expect(drive.machine.state == .askingLedger)
        let step = drive.machine.clientGone()
        #expect(step == .abandon)
        #expect(drive.holdsLedgerPlace == true)
    }
}
