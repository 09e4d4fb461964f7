import Bytes
import Exchange
import HTTP
import Rules
import Testing

/// What becomes of a CONNECT to a host whose tunnels are opened, and what may be asked for in there.
@Suite struct OpenedTunnelTests {
    private let connect = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443"
    private let accepted = "HTTP/1.1 200 OK"

    private func drive(_ words: FirstWords) -> ExchangeDrive {
        var drive = ExchangeDrive(.behindParent([.of(0, .use("proxy"), isProxy: true)], isTunnel: true, isOpened: true))
        drive.firstWords = words
        return drive
    }

    @Test("I-2 the parent's CONNECT comes first, then what the client says decides")
    func hello() {
        var drive = drive(.hello)
        let ending = drive.exchange(connect, "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=p", accepted)
        #expect(ending == .served(nil))
        #expect(drive.legs.count == 2)
    }

    @Test("I-2 what is held against the origin waits for the first request, and ends the connection")
    func untrusted() {
        var drive = drive(.hello)
        drive.trustsOrigin = false
        guard case .served(let failure?) = drive.exchange(connect, accepted) else {
            Issue.record("not served")
            return
        }
        #expect(failure.status == 502 && failure.closes)
    }

    @Test("A-22 a hello for another host is told inside, and no handshake is done upstream")
    func otherName() {
        var drive = drive(.helloForOther)
        drive.trustsOrigin = false
        #expect(drive.exchange(connect, accepted).reason == "target.misdirected")
    }

    @Test("I-3 a request in the clear is served; anything else is joined, or refused")
    func others() {
        var clear = drive(.request)
        #expect(clear.exchange(connect, accepted) == .served(nil))
        var other = drive(.other)
        #expect(other.exchange(connect, accepted) == .tunnelled)
        other.refusesOther = true
        #expect(other.exchange(connect, accepted) == .hungUp)
    }

    @Test("I-2 a refusal of the parent's is told to the CONNECT")
    func refused() {
        var drive = drive(.hello)
        #expect(drive.exchange(connect, "HTTP/1.1 403 No").status == 403)
    }
}

extension OpenedTunnelTests {
    private static let admission = RequestAdmission(http: HTTPConfiguration(), pseudonym: "test")

    private func status(_ line: String, _ host: String?, _ origin: Origin) -> UInt16? {
        let head = requestHead(line, host.map { ["Host: \($0)"] } ?? [])
        let tunnel = OpenedTunnel(origin: origin, failure: nil)
        return Self.admission.refusal(head, isClientAllowed: true, in: tunnel)?.status
    }

    @Test(
        "A-22 the Host inside is the tunnel's host and port, a default port equals none",
        arguments: [
            ("a.test", 443, "a.test", nil), ("A.TEST", 443, "a.test", nil), ("a.test:443", 443, "a.test", nil),
            ("a.test.", 443, "a.test", nil), ("a.test:8443", 8443, "a.test", nil), ("a.test", 8443, "a.test", 421),
            ("a.test:80", 443, "a.test", 421), ("b.test", 443, "a.test", 421), ("a.test:8443", 443, "a.test", 421),
            ("[0:0:0:0:0:0:0:1]", 443, "::1", nil), ("[::2]", 443, "::1", 421), ("xa.test", 443, "a.test", 421),
        ] as [(String, UInt16, String, UInt16?)]
    )
    func host(_ host: String, _ port: UInt16, _ own: String, _ expected: UInt16?) {
        let origin = Origin(scheme: .https, host: own, port: port)
        #expect(status("GET /x HTTP/1.1", host, origin) == expected)
    }

    @Test(
        "A-22 an absolute target inside is judged in the place of Host",
        arguments: [
            ("https://a.test/", nil), ("https://a.test:443/", nil), ("http://a.test/", 421), ("https://b.test/", 421),
            ("ftp://a.test/", 421), ("https://u:p@a.test/", 400), ("https://a.test./", nil),
        ] as [(String, UInt16?)]
    )
    func absolute(_ target: String, _ expected: UInt16?) {
        let origin = Origin(scheme: .https, host: "a.test")
        #expect(status("GET \(target) HTTP/1.1", "other.test", origin) == expected)
    }

    @Test("H-2 an opened connection takes origin-form and OPTIONS *, and no CONNECT")
    func forms() {
        let origin = Origin(scheme: .http, host: "a.test", port: 8080)
        #expect(status("GET / HTTP/1.0", nil, origin) == nil)
        #expect(status("OPTIONS * HTTP/1.1", "a.test:8080", origin) == nil)
        #expect(status("CONNECT a.test:8080 HTTP/1.1", "a.test:8080", origin) == 400)
    }
}
