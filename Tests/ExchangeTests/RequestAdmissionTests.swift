import HTTP
import Rules
import Testing

@testable import Exchange

@Suite struct RequestAdmissionTests {
    private func refusal(
        _ line: String,
        _ lines: [String] = [],
        isAllowed: Bool = true,
        change: (inout HTTPConfiguration) -> Void = { _ in }
    ) -> LocalResponse? {
        var http = HTTPConfiguration()
        change(&http)
        let admission = RequestAdmission(http: http, pseudonym: "tester")
        return admission.refusal(requestHead(line, ["Host: a.test"] + lines), isClientAllowed: isAllowed)
    }

    @Test("H-1 http and https targets and CONNECT are admitted, other schemes are 501")
    func schemes() {
        #expect(refusal("GET http://a.test/ HTTP/1.1") == nil)
        #expect(refusal("CONNECT a.test:443 HTTP/1.1") == nil)
        #expect(refusal("GET https://a.test/ HTTP/1.1") == nil)
        #expect(refusal("GET ftp://a.test/ HTTP/1.1")?.status == 501)
    }

    @Test("H-1b userinfo is 400 unless it is allowed")
    func userinfo() {
        #expect(refusal("GET http://a:b@a.test/ HTTP/1.1")?.status == 400)
        #expect(refusal("GET http://a:b@a.test/ HTTP/1.1") { $0.userinfo = true } == nil)
    }

    @Test("H-2 origin-form is 400 and ends the connection")
    func originForm() {
        let refused = refusal("GET / HTTP/1.1")
        #expect(refused?.status == 400)
        #expect(refused?.closes == true)
    }

    @Test("H-12 TRACE is 405 unless it is allowed, and Max-Forwards: 0 ends here")
    func trace() {
        #expect(refusal("TRACE http://a.test/ HTTP/1.1")?.status == 405)
        #expect(refusal("TRACE http://a.test/ HTTP/1.1") { $0.trace = true } == nil)
        #expect(refusal("OPTIONS http://a.test/ HTTP/1.1", ["Max-Forwards: 0"])?.status == 200)
        #expect(refusal("OPTIONS http://a.test/ HTTP/1.1", ["Max-Forwards: 1"]) == nil)
        #expect(refusal("GET http://a.test/ HTTP/1.1", ["Max-Forwards: 0"]) == nil)
    }

    @Test(
        "H-12 of several Max-Forwards the least counts, and one that is no number is 400",
        arguments: [
            (["5", "0"], 200), (["0", "5"], 200), (["000"], 200), (["x"], 400), (["5", "x"], 400), (["-1"], 400),
            (["1, 2"], 400), ([""], 400), (["0x0"], 400), (["5", "3"], nil), (["99999999999999999999"], nil),
        ] as [([String], UInt16?)]
    )
    func maxForwards(_ values: [String], _ status: UInt16?) {
        for method in ["OPTIONS", "TRACE"] {
            let lines = values.map { "Max-Forwards: \($0)" }
            #expect(refusal("\(method) http://a.test/ HTTP/1.1", lines) { $0.trace = true }?.status == status)
        }
        #expect(refusal("GET http://a.test/ HTTP/1.1", values.map { "Max-Forwards: \($0)" }) == nil)
    }

    @Test("B-5 another expectation than 100-continue is 417")
    func expectation() {
        #expect(refusal("PUT http://a.test/ HTTP/1.1", ["Expect: 100-Continue"]) == nil)
        #expect(refusal("PUT http://a.test/ HTTP/1.1", ["Expect: more"])?.status == 417)
    }

    @Test(
        "H-13 our own pseudonym in Via is a loop",
        arguments: ["1.1 tester", "1.0 x, 1.1 tester (y)", "1.1 tester,1.1 z"]
    )
    func loop(_ via: String) {
        #expect(refusal("GET http://a.test/ HTTP/1.1", ["Via: \(via)"])?.error == .proxyLoopDetected)
        #expect(refusal("GET http://a.test/ HTTP/1.1", ["Via: 1.0 x", "Via: \(via)"])?.status == 502)
    }

    @Test("H-13 a name that only contains it is none", arguments: ["1.1 tester-2", "1.1 atester", "1.1 testers"])
    func otherName(_ via: String) {
        #expect(refusal("GET http://a.test/ HTTP/1.1", ["Via: \(via)"]) == nil)
    }

    @Test("H-9 a client that may not use the proxy is 403")
    func client() {
        #expect(refusal("GET http://a.test/ HTTP/1.1", isAllowed: false)?.status == 403)
    }

    @Test("H-5b only a GET without body is upgraded, to websocket, as Connection says")
    func upgrades() {
        let admission = RequestAdmission(http: HTTPConfiguration(), pseudonym: "tester")
        func upgrades(_ line: String, _ lines: [String]) -> Bool {
            admission.upgrades(requestHead(line, ["Host: a.test"] + lines))
        }
        let get = "GET http://a.test/ HTTP/1.1"
        #expect(upgrades(get, ["Connection: Upgrade", "Upgrade: WebSocket"]))
        #expect(!upgrades(get, ["Upgrade: websocket"]))
        #expect(!upgrades(get, ["Connection: Upgrade", "Upgrade: h2c"]))
        #expect(!upgrades(get, ["Connection: Upgrade"]))
        #expect(!upgrades(get, ["Connection: Upgrade", "Upgrade: websocket", "Content-Length: 3"]))
        #expect(!upgrades("POST http://a.test/ HTTP/1.1", ["Connection: Upgrade", "Upgrade: websocket"]))
        #expect(!upgrades("GET http://a.test/ HTTP/1.0", ["Connection: Upgrade", "Upgrade: websocket"]))
    }
}
