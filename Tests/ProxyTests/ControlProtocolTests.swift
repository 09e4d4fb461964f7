import Authentication
import Testing

@testable import Proxy

struct ControlProtocolTests {
    @Test(
        "A-7b a request is read as it was written",
        arguments: [
            ControlRequest.credentials, .release(name: nil), .release(name: "staff"), .release(name: "a b\n%"),
            .release(name: "-"),
        ]
    )
    func requests(request: ControlRequest) {
        #expect(!request.line.contains("\n"))
        #expect(ControlRequest(line: request.line[...]) == request)
    }

    @Test(
        "A-7b anything else is no request",
        arguments: ["", "x", "release", "release a b", "release %", "credentials "]
    )
    func notRequests(line: String) {
        #expect(ControlRequest(line: line[...]) == nil)
    }

    @Test("A-7b a reply is read as it was written, and not when it is cut")
    func replies() {
        let everywhere = Withholding(
            extent: .everywhere,
            server: "origin http://a:80",
            target: "http://a:80/x y/",
            since: 5,
            until: nil
        )
        let target = Withholding(extent: .target, server: "proxy http://p:1", target: "", since: -5, until: 9)
        let reports = [
            CredentialReport(
                name: "a b",
                standing: .withheld,
                withholdings: [everywhere, target],
                scouts: 1,
                waiting: 2
            ),
            CredentialReport(name: "c", standing: .probation, withholdings: [], scouts: 0, waiting: 0),
        ]
        let reply = ControlReply.credentials(reports)
        #expect(ControlReply(text: reply.text, to: .credentials) == reply)
        for count in 0..<reply.text.count {
            #expect(ControlReply(text: String(reply.text.prefix(count)), to: .credentials) == nil)
        }
        for isKnown in [true, false] {
            let reply = ControlReply.released(isKnown: isKnown)
            #expect(ControlReply(text: reply.text, to: .release(name: nil)) == reply)
        }
        #expect(ControlReply(text: ControlReply.refused.text, to: .credentials) == .refused)
        #expect(ControlReply(text: "end\n", to: .release(name: nil)) == nil)
    }
}
