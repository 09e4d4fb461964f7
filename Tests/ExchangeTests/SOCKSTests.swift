import Bytes
import Crypto
import Exchange
import Rules
import Testing

/// Connections that a SOCKS5 proxy makes (RFC 1928, RFC 1929).
@Suite struct SOCKSTests {
    private let rules = [Rule.of(0, .use("staff"), isProxy: true)]
    private let connected: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    @Test("R-2 a proxy that wants no login gets none")
    func noLogin() {
        var drive = ExchangeDrive(.bySOCKS([]))
        drive.replies = [[5, 0], connected]
        #expect(drive.exchange(get, ok).status == 200)
        #expect(drive.asked == ["methods(offersLogin: false)", "connect"])
        #expect(drive.legs.first?.hasPrefix("GET /x/y HTTP/1.1\r\n") == true)
    }

    @Test("R-2 a login is given where it is wanted, and nothing of it goes to the origin")
    func login() {
        var drive = ExchangeDrive(.bySOCKS(rules))
        drive.replies = [[5, 2], [1, 0], connected]
        #expect(drive.exchange(get, ok).status == 200)
        #expect(drive.asked == ["methods(offersLogin: true)", "login", "connect"])
        #expect(drive.verdicts == ["confirmed staff"])
        #expect(drive.legs.first?.contains("Authorization") == false)
    }

    @Test("A-7 a refused login is a rejection, and the exchange ends with it")
    func refused() {
        var drive = ExchangeDrive(.bySOCKS(rules))
        drive.replies = [[5, 2], [1, 1]]
        let ending = drive.exchange(get, ok)
        #expect(ending.status == 502 && ending.reason == "credential.rejected")
        #expect(drive.verdicts == ["rejected staff"])
        #expect(drive.legs == [])
    }

    @Test("A-7 a withheld login isn't sent")
    func withheld() {
        var drive = ExchangeDrive(.bySOCKS(rules))
        drive.withheld = ["staff"]
        drive.replies = [[5, 2], [1, 0], connected]
        #expect(drive.exchange(get, ok).reason == "credential.withheld")
        #expect(drive.asked == ["methods(offersLogin: true)"])
    }

    @Test("A-14 a login isn't sent in the clear to a proxy beyond loopback")
    func cleartext() {
        let rules = [Rule.of(0, .use("staff"), isProxy: true, cleartext: [])]
        var drive = ExchangeDrive(.bySOCKS(rules, at: "192.0.2.1"))
        drive.replies = [[5, 2], [1, 0], connected]
        #expect(drive.exchange(get, ok).status == 502)
        #expect(drive.asked == ["methods(offersLogin: true)"])
    }

    @Test(
        "R-2 a proxy's refusal is told by its reply",
        arguments: [(1, 502), (2, 502), (3, 502), (4, 502), (5, 502), (6, 504), (7, 502), (200, 502)]
            as [(UInt8, UInt16)]
    )
    func replies(_ code: UInt8, _ status: UInt16) {
        var drive = ExchangeDrive(.bySOCKS([]))
        drive.replies = [[5, 0], [5, code, 0, 1, 0, 0, 0, 0, 0, 0]]
        let ending = drive.exchange(get, ok)
        #expect(ending.status == status && ending.reason == "socks.reply-\(code)")
    }

    @Test("R-2 what is not SOCKS5 is none", arguments: [[UInt8(4), 0], [5, 1], [72, 84, 84, 80], [5, 2]])
    func malformed(_ reply: [UInt8]) {
        var drive = ExchangeDrive(.bySOCKS([]))
        drive.replies = [reply]
        #expect(drive.exchange(get, ok).reason == "socks.malformed")
    }

    @Test("R-2 a CONNECT is joined behind the proxy's reply")
    func connect() {
        var drive = ExchangeDrive(.bySOCKS([], isTunnel: true))
        drive.replies = [[5, 0], connected]
        #expect(drive.exchange("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443") == .tunnelled)
    }

    @Test("R-2 requests are written as the RFCs have them")
    func bytes() {
        #expect(written { SOCKSNegotiation.appendMethods(offersLogin: true, into: &$0) } == [5, 2, 0, 2])
        #expect(written { SOCKSNegotiation.appendMethods(offersLogin: false, into: &$0) } == [5, 1, 0])
        let name = Array("u".utf8)
        #expect(
            written { _ = SOCKSNegotiation.appendLogin(username: name.span, password: Secret("pw"), into: &$0) }
                == [1, 1, 0x75, 2, 0x70, 0x77]
        )
        #expect(
            written { _ = SOCKSNegotiation.appendConnect(host: "a.b", port: 443, into: &$0) }
                == [5, 1, 0, 3, 3, 0x61, 0x2E, 0x62, 1, 0xBB]
        )
        #expect(
            written { _ = SOCKSNegotiation.appendConnect(host: "192.0.2.1", port: 80, into: &$0) }
                == [5, 1, 0, 1, 192, 0, 2, 1, 0, 80]
        )
        #expect(
            written { _ = SOCKSNegotiation.appendConnect(host: "2001:db8::1", port: 80, into: &$0) }
                == [5, 1, 0, 4, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80]
        )
    }

    @Test("R-2 a login or a name that SOCKS5 has no room for isn't sent in part")
    func unusable() {
        var buffer = ByteBuffer()
        let long = [UInt8](repeating: 0x61, count: 256)
        let isLogin = SOCKSNegotiation.appendLogin(username: long.span, password: Secret("pw"), into: &buffer)
        let isEmpty = SOCKSNegotiation.appendLogin(
            username: long.span.extracting(first: 1),
            password: Secret(""),
            into: &buffer
        )
        #expect(!isLogin && !isEmpty && buffer.isEmpty)
    }

    @Test("R-2 replies are read however they come", arguments: [1, 3, 4])
    func split(_ type: UInt8) {
        let address: [UInt8] =
            type == 1 ? [0, 0, 0, 0] : type == 3 ? [2, 0x61, 0x62] : [UInt8](repeating: 0, count: 16)
        let reply = [5, 0, 0, type] + address + [0, 80]
        for count in reply.indices {
            let partial = SOCKSNegotiation.read(reply.span.extracting(first: count), after: .connect)
            #expect(partial == .needMore)
        }
        let whole = SOCKSNegotiation.read((reply + [1, 2, 3]).span, after: .connect)
        #expect(whole == .connected(consumed: reply.count))
    }

    private func written(_ body: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer()
        body(&buffer)
        let span = buffer.readable
        return span.indices.map { span[$0] }
    }
}
