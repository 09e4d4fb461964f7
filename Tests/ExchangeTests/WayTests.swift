import Bytes
import Exchange
import HTTP
import Rules
import Testing

/// From one hop of a route to the next.
@Suite struct WayTests {
    private let refused = ExchangeError(.connectionRefused, .parentProxy)
    private let basic = #"Basic realm="R""#

    private func drive(_ rules: [Rule] = [], isTunnel: Bool = false) -> ExchangeDrive {
        var drive = ExchangeDrive(.behindParent(rules, isTunnel: isTunnel, of: 3))
        drive.furtherWays = [.behindParent(rules, isTunnel: isTunnel, place: 1, of: 3), .direct([])]
        return drive
    }

    @Test(
        "R-1 a way that is refused, late, unknown or untrusted gives place to the next",
        arguments: [
            ExchangeError.Kind.connectionRefused, .connectionTimedOut, .nameNotResolved, .unreachable,
            .secureChannel(.unexpectedBytes), .loop,
        ]
    )
    func failsOver(_ kind: ExchangeError.Kind) {
        var drive = drive()
        drive.connectErrors = [ExchangeError(kind, .parentProxy), ExchangeError(kind, .parentProxy)]
        #expect(drive.exchange(get, ok).status == 200)
        #expect(drive.ways.count == 2)
        #expect(drive.legs.count == 1)
        #expect(drive.legs.first?.hasPrefix("GET /x/y HTTP/1.1\r\n") == true)
    }

    @Test(
        "R-1 what is no fault of the way ends the request",
        arguments: [
            ExchangeError.Kind.connectionLimitReached, .outOfDescriptors, .socksFailed(.refused(5)),
            .socksFailed(.loginRefused),
            .carrierFailed(LocalResponse(502, .httpRequestDenied, "credential.rejected", "No.", receivedStatus: 407)),
        ]
    )
    func stays(_ kind: ExchangeError.Kind) {
        var drive = drive()
        drive.connectErrors = [ExchangeError(kind, .local)]
        let ending = drive.exchange(get, ok)
        #expect(ending.reason == ExchangeError(kind, .local).response.reason)
        #expect(drive.ways == [])
    }

    @Test("R-1 with no way left the client learns what the last one said")
    func none() {
        var drive = drive()
        drive.furtherWays = []
        drive.connectErrors = [refused]
        #expect(drive.exchange(get, ok).reason == "route.unreachable")
        #expect(drive.ways == ["route.unreachable"])
    }

    @Test("R-1 a rejected 407 is no reason to go another way, nor is any other response")
    func responsesAreLife() {
        var drive = drive([.of(0, .use("staff"), isProxy: true)])
        #expect(drive.exchange(get, proxyRefusal(basic), proxyRefusal(basic), ok).reason == "credential.rejected")
        #expect(drive.ways == [])
        drive = self.drive()
        #expect(drive.exchange(get, "HTTP/1.1 502 X\r\nContent-Length: 0", ok).status == 502)
        #expect(drive.ways == [])
    }

    @Test(
        "R-1 a request that had been sent goes another way only where H-6 would repeat it",
        arguments: [
            (get, true, true),
            ("POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5", true, false),
            (get, false, false),
        ]
    )
    func lost(_ request: String, _ keepsBody: Bool, _ goesOn: Bool) {
        var drive = drive()
        drive.keepsBody = keepsBody
        drive.losesBehind = [1]
        #expect((drive.exchange(request, ok).status == 200) == goesOn)
        #expect(drive.legs.count == (goesOn ? 2 : 1))
    }

    @Test(
        "R-1 a way that failed a request which may not be repeated is a dead one for the next",
        arguments: [false, true]
    )
    func deadForNext(_ isGarbage: Bool) {
        for request in ["POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5", connect] {
            var drive = drive(isTunnel: request == connect)
            drive.opensAnew = true
            drive.losesBehind = isGarbage ? [] : [1]
            let ending = drive.exchange(request, isGarbage ? ["220 smtp.test ready"] : [])
            let error = drive.machine.deadWay
            #expect(ending.status == 502 && error != nil)
        }
    }

    @Test("H-6 a request of which an interim response came is not sent again, by whatever way")
    func interim() {
        var drive = drive()
        drive.opensAnew = true
        #expect(drive.exchange(get, "HTTP/1.1 103 Early Hints", "HTTP/1.1 99 X").status == 502)
        #expect(drive.legs.count == 1)
    }

    @Test(
        "R-1 a SOCKS5 proxy that fails before it has connected gives place to the next",
        arguments: [[UInt8(4), 0], [5, 2]]
    )
    func socks(_ reply: [UInt8]) {
        var drive = ExchangeDrive(.bySOCKS([], of: 2))
        drive.furtherWays = [.behindParent([], place: 1, of: 2)]
        drive.replies = [reply]
        #expect(drive.exchange(get, ok).status == 200)
        #expect(drive.ways == ["socks.malformed"])
    }

    private let connect = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443"

    @Test("R-1 a lost tunnel of our own goes another way, since nothing of the request was sent")
    func establishing() {
        let destination = Destination.behindParent([], isTunnel: true, of: 2)
        var drive = ExchangeDrive(destination)
        drive.furtherWays = [.behindParent([], isTunnel: true, place: 1, of: 2)]
        drive.connectErrors = [refused]
        #expect(drive.exchange("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443", ok) == .tunnelled)
        #expect(drive.legs.count == 1)
    }

    @Test("R-1 an answer on the first way is no answer on the next, and is asked about anew")
    func answersAnew() {
        let rules = [Rule.of(0, .use("staff"), isProxy: true)]
        var drive = ExchangeDrive(.behindParent(rules, of: 2))
        drive.furtherWays = [.behindParent(rules, place: 1, of: 2)]
        drive.keepsConnection = false
        drive.connectErrors = [nil, refused]
        #expect(drive.exchange(get, proxyRefusal(basic), proxyRefusal(basic), ok).status == 200)
        #expect(drive.legs.map { $0.contains("Proxy-Authorization: Basic ") } == [false, false, true])
        #expect(drive.verdicts.last == "confirmed staff")
    }

    @Test("R-1 a way that failed rests for a while that doubles, and one request tries it for all")
    func rests() {
        let start = Instant(nanoseconds: 0)
        var health = WayHealth(failedAt: start)
        let length = Nanoseconds.seconds(20)
        var now = start
        var rest = Nanoseconds.seconds(1)
        for _ in 0..<12 {
            #expect(health.mayBeTried(at: now.adding(nanoseconds: rest - 1), tryLength: length) == false)
            now = now.adding(nanoseconds: rest)
            let isFirst = health.mayBeTried(at: now, tryLength: length)
            let isSecond = health.mayBeTried(at: now, tryLength: length)
            #expect(isFirst && !isSecond)
            health.failed(at: now)
            rest = min(rest * 2, .seconds(300))
        }
        #expect(rest == .seconds(300))
    }

    @Test("R-1 a try that ends for another reason leaves the next request to try")
    func tryEnds() {
        let start = Instant(nanoseconds: 0)
        let later = start.adding(nanoseconds: .seconds(2))
        var health = WayHealth(failedAt: start)
        health.tryEnded(at: start)
        let isEarly = health.mayBeTried(at: start, tryLength: .seconds(20))
        let isFirst = health.mayBeTried(at: later, tryLength: .seconds(20))
        health.tryEnded(at: later)
        let isNext = health.mayBeTried(at: later, tryLength: .seconds(20))
        #expect(!isEarly && isFirst && isNext)
    }

    @Test("R-1 requests under way when a way fails don't lengthen its rest")
    func together() {
        let start = Instant(nanoseconds: 0)
        var health = WayHealth(failedAt: start)
        for _ in 0..<10 { health.failed(at: start.adding(nanoseconds: 1000)) }
        #expect(health.restsUntil == start.adding(nanoseconds: .seconds(1)))
    }
}
