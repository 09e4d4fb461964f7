import Authentication
import Bytes
import Crypto
import Exchange
import HTTP
import Rules
import Testing

/// Handshakes without a mechanism: the tokens are scripted.
@Suite("Handshakes")
struct HandshakeTests {
    private static let get = "GET http://a.example/x HTTP/1.1\r\nHost: a.example"
    private static let post = "POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5"
    private static let unauthorized = "HTTP/1.1 401 U\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0"
    private static let okay = "HTTP/1.1 200 OK\r\nContent-Length: 0"
    /// `two` in base64 [RFC 4648, section 4].
    private static let goesOn = "HTTP/1.1 401 U\r\nWWW-Authenticate: NTLM dHdv\r\nContent-Length: 0"
    private static let negotiate = "HTTP/1.1 401 U\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0"

    private static func token(_ text: String, isLast: Bool) -> TokenAnswer { .token(Secret(text), isLast: isLast) }

    private static func rules(_ names: String..., methods: [AuthenticationMethod]? = nil) -> [Rule] {
        names.enumerated().map { Rule.of($0, .use($1), methods: methods) }
    }

    private static func drive(_ names: String..., tokens: [TokenAnswer]) -> ExchangeDrive {
        let rules = names.enumerated().map { Rule.of($0, .use($1)) }
        var drive = ExchangeDrive(.direct(rules))
        drive.tokens = tokens
        return drive
    }

    private static var twoLegs: [TokenAnswer] { [token("one", isLast: false), token("three", isLast: true)] }

    @Test("C-1 an NTLM challenge is answered token by token on its connection, which then is the client's own")
    func ntlm() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        let ending = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        #expect(ending.status == 200)
        #expect(drive.legs.count == 3)
        #expect(drive.value("Authorization", ofLeg: 0) == nil)
        #expect(drive.value("Authorization", ofLeg: 1) == "NTLM b25l")
        #expect(drive.value("Authorization", ofLeg: 2) == "NTLM dGhyZWU=")
        #expect(drive.questions == ["origin ntlm a.example -", "origin ntlm a.example two"])
        #expect(drive.verdicts == ["confirmed staff"])
        #expect(drive.pool.map { $0.origin?.credential.name } == ["staff"])
    }

    @Test("C-1 the next request of the same client goes on the authenticated connection, without a token")
    func nextRequest() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        guard case .relayed(200, let form) = drive.exchange(Self.get, Self.okay) else {
            Issue.record("it was not relayed")
            return
        }
        #expect(form.isAnswered)
        #expect(form.isPrivate)
        let used = drive.machine.usedCredential?.credential
        #expect(used == "staff")
        #expect(drive.legs.count == 1)
        #expect(drive.value("Authorization", ofLeg: 0) == nil)
        #expect(drive.questions.isEmpty)
        #expect(drive.pool.count == 1)
    }

    @Test("C-1 another client never gets the connection: it does a handshake of its own")
    func otherClient() {
        var drive = Self.drive("staff", tokens: Self.twoLegs + Self.twoLegs)
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        drive.client = Client(address: IPAddress("127.0.0.3"))
        #expect(drive.exchange(Self.get, Self.goesOn, Self.okay).status == 200)
        #expect(drive.value("Authorization", ofLeg: 0) == "NTLM b25l")
        #expect(drive.value("Authorization", ofLeg: 1) == "NTLM dGhyZWU=")
        #expect(drive.pool.count == 2)
    }

    @Test("S-4 a request that is given no credential asks for a connection without identity")
    func withoutCredential() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        let crossSite = Self.post + "\r\nSec-Fetch-Site: cross-site"
        #expect(drive.exchange(crossSite, Self.okay).status == 200)
        let identity = drive.machine.identity
        #expect(identity == nil)
        #expect(drive.pool.count == 1)
    }

    @Test("B-3 in a space that asked for a handshake before, the leg before the last is a HEAD without the body")
    func emptyLeg() {
        var drive = Self.drive("staff", tokens: Self.twoLegs + Self.twoLegs)
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        drive.pool = []
        #expect(drive.exchange(Self.post, Self.goesOn, Self.okay).status == 200)
        #expect(drive.legs[0].hasPrefix("HEAD /x HTTP/1.1\r\n"))
        #expect(drive.value("Content-Length", ofLeg: 0) == nil)
        #expect(drive.legs[1].hasPrefix("POST /x HTTP/1.1\r\n"))
        #expect(drive.value("Content-Length", ofLeg: 1) == "5")
    }

    @Test("B-3 H-4 a refusal of a HEAD of ours that the client is told has no body, and says so")
    func refusedEmptyLeg() {
        var drive = Self.drive("staff", tokens: Self.twoLegs + [Self.token("one", isLast: false)])
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        drive.pool = []
        let refusal = "HTTP/1.1 401 U\r\nWWW-Authenticate: Other\r\nContent-Length: 100"
        guard case .relayed(401, let form) = drive.exchange(Self.post, refusal) else {
            Issue.record("it was not relayed")
            return
        }
        #expect(drive.legs.count == 1)
        #expect(drive.legs.first?.hasPrefix("HEAD ") == true)
        #expect(form.framing == .fixed(0))
    }

    @Test("C-1 A-9 where two clients have a rule each, what one's taught is no hindrance to the other")
    func takingTurns() {
        func rule(_ index: Int, _ name: String, _ address: String) throws -> Rule {
            let space = ProtectionSpacePattern(
                hosts: [HostPattern(form: .any)],
                port: .any,
                isProxy: false,
                realm: .any,
                methods: nil
            )
            return Rule(
                index: index,
                name: name,
                place: SourcePlace(line: 1),
                space: space,
                disposition: .use(name),
                clients: [try ClientPattern(address)],
                cleartext: .all
            )
        }
        guard let rules = try? [rule(0, "alice", "127.0.0.1"), rule(1, "bob", "127.0.0.3")] else { return }
        var drive = ExchangeDrive(.direct(rules))
        drive.tokens = Self.twoLegs + Self.twoLegs
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        drive.client = Client(address: IPAddress("127.0.0.3"))
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        for address in ["127.0.0.1", "127.0.0.3", "127.0.0.1"] {
            drive.client = Client(address: IPAddress(address))
            #expect(drive.exchange(Self.get, Self.okay).status == 200)
            #expect(drive.legs.count == 1)
            #expect(drive.questions.isEmpty)
        }
        #expect(drive.pool.count == 2)
    }

    @Test("B-3 an idempotent request's leg before the last is the request itself with Content-Length: 0")
    func emptyIdempotentLeg() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        let put = "PUT http://a.example/x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5"
        #expect(drive.exchange(put, Self.unauthorized, Self.goesOn, Self.okay).status == 200)
        #expect(drive.value("Content-Length", ofLeg: 0) == "5")
        #expect(drive.legs[1].hasPrefix("PUT /x HTTP/1.1\r\n"))
        #expect(drive.value("Content-Length", ofLeg: 1) == "0")
        #expect(drive.value("Content-Length", ofLeg: 2) == "5")
    }

    @Test("B-3 an answer to an empty leg isn't passed on: the whole request follows, and that space gets none again")
    func emptyLegTaken() {
        var drive = Self.drive("staff", tokens: Self.twoLegs + [Self.token("one", isLast: false)] + Self.twoLegs)
        _ = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.okay)
        drive.pool = []
        #expect(drive.exchange(Self.post, "HTTP/1.1 405 No\r\nContent-Length: 0", Self.okay).status == 200)
        #expect(drive.legs.count == 2)
        #expect(drive.legs[1].hasPrefix("POST /x HTTP/1.1\r\n"))
        #expect(drive.value("Authorization", ofLeg: 1) == nil)
        #expect(drive.pool.isEmpty)
        #expect(drive.exchange(Self.post, Self.goesOn, Self.okay).status == 200)
        #expect(drive.value("Content-Length", ofLeg: 0) == "5")
    }

    @Test("A-6 the refusal of the last token is a rejection, that of the first one none")
    func refusals() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        #expect(
            drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.unauthorized).reason == "credential.rejected"
        )
        #expect(drive.verdicts == ["rejected staff"])
        drive.tokens = Self.twoLegs
        #expect(drive.exchange(Self.get, Self.unauthorized, Self.unauthorized).reason == "handshake.refused")
        #expect(drive.verdicts == ["no verdict on staff"])
    }

    @Test("A-6 a Kerberos token sent ahead and refused is no rejection: one answer to the fresh challenge follows")
    func refusedAhead() {
        let one = Self.token("one", isLast: true)
        var drive = Self.drive("staff", tokens: [one, one, one])
        #expect(drive.exchange(Self.get, Self.negotiate, Self.okay).status == 200)
        drive.pool = []
        #expect(drive.exchange(Self.get, Self.negotiate, Self.negotiate).reason == "credential.rejected")
        #expect(drive.value("Authorization", ofLeg: 0) == "Negotiate b25l")
        #expect(drive.value("Authorization", ofLeg: 1) == "Negotiate b25l")
        #expect(drive.verdicts.last == "rejected staff")
    }

    @Test("C-2 the token of the final response is verified, and one that proves nothing is 502")
    func finalToken() {
        let final = "HTTP/1.1 200 OK\r\nWWW-Authenticate: Negotiate dHdv\r\nContent-Length: 0"
        var drive = Self.drive("staff", tokens: [Self.token("one", isLast: true), .complete])
        #expect(drive.exchange(Self.get, Self.negotiate, final).status == 200)
        #expect(drive.questions.last == "origin negotiate(kerberos: true, ntlm: true) a.example two final")
        drive.pool = []
        let failure = TokenFailure(.peer, code: "negotiate.server-unproven", message: "")
        drive.tokens = [Self.token("one", isLast: true), .failed(failure)]
        let ending = drive.exchange(Self.get, final)
        #expect(ending.status == 502)
        #expect(ending.reason == "negotiate.server-unproven")
        #expect(drive.pool.isEmpty)
    }

    @Test("C-2 a server that asks again on an authenticated connection gets a token with each request from then on")
    func eachRequest() {
        let one = Self.token("one", isLast: true)
        var drive = Self.drive("staff", tokens: [one, one, one])
        #expect(drive.exchange(Self.get, Self.negotiate, Self.okay).status == 200)
        #expect(drive.exchange(Self.get, Self.negotiate, Self.okay).status == 200)
        #expect(drive.legs.count == 2)
        #expect(drive.exchange(Self.get, Self.okay).status == 200)
        #expect(drive.value("Authorization", ofLeg: 0) == "Negotiate b25l")
    }

    @Test("C-5 a server that closes although the handshake needs the connection ends in one 502")
    func closes() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        drive.keepsConnection = false
        let ending = drive.exchange(Self.get, Self.unauthorized, Self.goesOn)
        #expect(ending.status == 502)
        #expect(ending.reason == "handshake.connection-closed")
        #expect(drive.legs.count == 2)
    }

    @Test(
        "A-19 a method that fails before anything secret was sent yields to the next candidate, then to the next offer"
    )
    func unavailable() {
        let offers =
            "HTTP/1.1 401 U\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
        let noTicket = TokenAnswer.failed(TokenFailure(.unavailable, code: "kerberos.no-ticket", message: ""))
        var drive = Self.drive("ticket", "staff", tokens: [noTicket, Self.token("one", isLast: true)])
        #expect(drive.exchange(Self.get, offers, Self.okay).status == 200)
        #expect(drive.value("Authorization", ofLeg: 1) == "Negotiate b25l")
        #expect(drive.verdicts == ["no verdict on ticket", "confirmed staff"])
        var other = Self.drive("ticket", tokens: [noTicket])
        #expect(other.exchange(Self.get, offers, Self.okay).status == 200)
        #expect(other.value("Authorization", ofLeg: 1) == "Basic dXNlcjpwYXNz")
        var last = Self.drive("ticket", tokens: [noTicket])
        let ending = last.exchange(Self.get, Self.negotiate)
        #expect(ending.status == 401)
        #expect(ending.reason == "kerberos.no-ticket")
    }

    @Test("A-14 A-19 where one offer failed and another is held back, both reasons are told")
    func bothReasons() {
        let offers =
            "HTTP/1.1 401 U\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
        let space = ProtectionSpacePattern(
            hosts: [HostPattern(form: .any)],
            port: .any,
            isProxy: false,
            realm: .any,
            methods: nil
        )
        let rule = Rule(
            index: 0,
            name: "rules[0]",
            place: SourcePlace(line: 1),
            space: space,
            disposition: .use("staff")
        )
        let far = Origin(scheme: .http, host: "a.example")
        let candidates = RuleTable(rules: [rule]).candidates(for: far, isProxy: false)
        let hop = Hop(key: "a", host: "a.example", port: 80, address: nil, parent: nil, candidates: candidates)
        var drive = ExchangeDrive(
            Destination(origin: far, isTunnel: false, route: .direct, hop: hop, candidates: candidates)
        )
        drive.tokens = [.failed(TokenFailure(.unavailable, code: "kerberos.kdc-unreachable", message: "No KDC."))]
        guard case .relayed(401, let form) = drive.exchange(Self.get, offers) else {
            Issue.record("it was not relayed")
            return
        }
        #expect(form.told?.reason == "kerberos.kdc-unreachable")
        #expect(form.told?.explanation.contains("cleartext.refused") == true)
    }

    @Test("A-19 a KDC's pre-authentication failure is a rejection, though no server saw anything")
    func preauthentication() {
        let failure = TokenFailure(.rejected, code: "kerberos.preauth-failed", message: "")
        var drive = Self.drive("staff", tokens: [.failed(failure)])
        #expect(drive.exchange(Self.get, Self.negotiate).status == 401)
        #expect(drive.verdicts == ["rejected staff"])
        #expect(drive.legs.count == 1)
    }

    @Test("A-6 A-7 a token in a first challenge belongs to no handshake of ours, and is not answered")
    func unaskedToken() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        #expect(drive.exchange(Self.get, Self.goesOn).status == 401)
        #expect(drive.questions.isEmpty)
    }

    @Test("A-6 A-7 a server that refuses each last token with a token of its own rejects it all the same")
    func refusedWithToken() {
        let busy = TokenAnswer.failed(TokenFailure(.unavailable, code: "lane.busy", message: ""))
        let last = Self.token("more", isLast: true)
        for tokens in [[last, last, last, last], [last, busy]] {
            var drive = Self.drive("staff", tokens: tokens)
            let responses = [Self.unauthorized] + Array(repeating: Self.goesOn, count: tokens.count - 1)
            #expect(drive.exchange(Self.get, responses).reason == "credential.rejected")
            #expect(drive.verdicts == ["rejected staff"])
        }
    }

    @Test("A-18 a handshake is one answer of at most three legs")
    func legLimit() {
        let more = Self.token("more", isLast: false)
        var drive = Self.drive("staff", tokens: [more, more, more, more])
        let ending = drive.exchange(Self.get, [Self.unauthorized, Self.goesOn, Self.goesOn, Self.goesOn])
        #expect(ending.reason == "handshake.too-long")
        #expect(drive.legs.count == 4)
        #expect(drive.machine.answers == 1)
    }

    @Test("C-7 a connection that dies in mid-handshake is authenticated afresh, once, and no token goes twice")
    func diesOnTheWay() {
        let afresh = [Self.token("four", isLast: false), Self.token("five", isLast: true)]
        var drive = Self.drive("staff", tokens: Self.twoLegs + afresh)
        drive.losesBehind = [3]
        #expect(drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.goesOn, Self.okay).status == 200)
        #expect(drive.value("Authorization", ofLeg: 3) == "NTLM Zm91cg==")
        #expect(drive.value("Authorization", ofLeg: 4) == "NTLM Zml2ZQ==")
        #expect(drive.questions.count { $0.hasSuffix(" -") } == 2)
    }

    @Test("C-5 one that dies in each handshake is told after the second")
    func diesAgain() {
        var drive = Self.drive("staff", tokens: Self.twoLegs + Self.twoLegs)
        drive.losesBehind = [3, 5]
        let ending = drive.exchange(Self.get, Self.unauthorized, Self.goesOn, Self.goesOn)
        #expect(ending.reason == "handshake.connection-closed")
        #expect(drive.legs.count == 5)
    }

    @Test("C-1 C-7 a handshake whose client left before its end leaves no connection to anybody")
    func leftOnTheWay() {
        var drive = Self.drive("staff", tokens: Self.twoLegs)
        drive.leavesBehind = 2
        #expect(drive.exchange(Self.get, Self.unauthorized, Self.goesOn) == .abandoned)
        #expect(drive.pool.isEmpty)
        let isClean = drive.machine.leavesConnectionClean
        #expect(!isClean)
    }
}

/// Handshakes with a parent, and with an origin behind it.
@Suite("Handshakes through a parent")
struct ParentHandshakeTests {
    private static let get = "GET http://a.example/x HTTP/1.1\r\nHost: a.example"
    private static let demanded = "HTTP/1.1 407 P\r\nProxy-Authenticate: NTLM\r\nContent-Length: 0"
    private static let parentGoesOn = "HTTP/1.1 407 P\r\nProxy-Authenticate: NTLM cA==\r\nContent-Length: 0"
    private static let keeps = "\r\nProxy-Support: Session-Based-Authentication\r\nContent-Length: 0"
    private static let unauthorized = "HTTP/1.1 401 U\r\nWWW-Authenticate: NTLM" + keeps
    private static let originGoesOn = "HTTP/1.1 401 U\r\nWWW-Authenticate: NTLM bw==" + keeps
    private static let okay = "HTTP/1.1 200 OK\r\nContent-Length: 0"
    private static let rules = [Rule.of(0, .use("staff")), .of(1, .use("proxy"), isProxy: true)]

    private static func tokens(_ names: String...) -> [TokenAnswer] {
        names.map { .token(Secret($0), isLast: $0.hasSuffix("2")) }
    }

    @Test("C-1 A-18 NTLM to the parent and to the origin share one connection, each with its own state")
    func both() {
        var drive = ExchangeDrive(.behindParent(Self.rules))
        drive.tokens = Self.tokens("p1", "p2", "o1", "o2")
        let ending = drive.exchange(
            Self.get,
            [Self.demanded, Self.parentGoesOn, Self.unauthorized, Self.originGoesOn, Self.okay]
        )
        #expect(ending.status == 200)
        #expect(drive.legs.count == 5)
        #expect(drive.value("Proxy-Authorization", ofLeg: 2) == "NTLM cDI=")
        #expect(drive.value("Authorization", ofLeg: 3) == "NTLM bzE=")
        #expect(drive.value("Proxy-Authorization", ofLeg: 3) == nil)
        #expect(drive.value("Authorization", ofLeg: 4) == "NTLM bzI=")
        #expect(drive.verdicts == ["confirmed proxy", "confirmed staff"])
        #expect(drive.pool.map { $0.parent?.credential.name } == ["proxy"])
        #expect(drive.pool.map { $0.origin?.credential.name } == ["staff"])
        #expect(drive.exchange(Self.get, Self.okay).status == 200)
        #expect(drive.legs.count == 1)
        #expect(drive.questions.isEmpty)
    }

    @Test("C-2 an origin's handshake goes through no parent that doesn't say that it keeps sessions")
    func withoutProxySupport() {
        var drive = ExchangeDrive(.behindParent(Self.rules))
        drive.tokens = Self.tokens("o1", "o2")
        let ending = drive.exchange(Self.get, "HTTP/1.1 401 U\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0")
        #expect(ending.status == 401)
        #expect(drive.questions.isEmpty)
    }

    @Test("C-7 an origin's token that the parent refused on the way is not sent again")
    func tokenRefusedOnTheWay() {
        var drive = ExchangeDrive(.behindParent(Self.rules))
        drive.tokens = Self.tokens("o1", "p1", "p2", "o3", "o2")
        let responses = [Self.unauthorized, Self.demanded, Self.parentGoesOn, Self.originGoesOn, Self.okay]
        #expect(drive.exchange(Self.get, responses).status == 200)
        #expect(drive.legs.count { $0.contains("Authorization: NTLM bzE=") } == 1)
    }

    @Test("C-6 the 407 handshake of a CONNECT is done on the connection that becomes the tunnel")
    func tunnel() {
        var drive = ExchangeDrive(.behindParent(Self.rules, isTunnel: true))
        drive.tokens = Self.tokens("p1", "p2")
        let connect = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443"
        #expect(drive.exchange(connect, Self.demanded, Self.parentGoesOn, Self.okay) == .tunnelled)
        #expect(drive.legs.count == 3)
        #expect(drive.value("Proxy-Authorization", ofLeg: 1) == "NTLM cDE=")
        #expect(drive.value("Proxy-Authorization", ofLeg: 2) == "NTLM cDI=")
    }

    @Test("C-11 a parent on HTTP/1.0 is asked to keep the connection of a handshake")
    func persistence() {
        var drive = ExchangeDrive(.behindParent(Self.rules))
        drive.tokens = Self.tokens("p1", "p2")
        let old = Self.demanded.replacing("HTTP/1.1", with: "HTTP/1.0") + "\r\nProxy-Connection: keep-alive"
        #expect(drive.exchange(Self.get, old, Self.parentGoesOn, Self.okay).status == 200)
        for leg in 1...2 {
            #expect(drive.value("Connection", ofLeg: leg) == "keep-alive")
            #expect(drive.value("Proxy-Connection", ofLeg: leg) == "keep-alive")
        }
    }
}
