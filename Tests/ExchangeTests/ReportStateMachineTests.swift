import Bytes
import Exchange
import HTTP
import Testing

/// The POST of a report, without a socket.
@Suite struct ReportStateMachineTests {
    private func steps(_ parts: [String]) -> [ReportStateMachine.Step] {
        var machine = ReportStateMachine()
        return parts.map { machine.received(Array($0.utf8).span) }
    }

    @Test("T-4 a report is a POST of JSON on a connection of its own, without credentials")
    func request() throws {
        let target = try #require(ResourceURL("http://user.example:8080/r/1?k=v"))
        var buffer = ByteBuffer()
        ReportStateMachine.append(Array("{}".utf8).span, to: target, into: &buffer)
        let expected = [
            "POST /r/1?k=v HTTP/1.1", "Host: user.example:8080", "User-Agent: countersign",
            "Content-Type: application/json", "Content-Length: 2", "Connection: close", "", "{}",
        ]
        #expect(String(buffer.readable) == expected.joined(separator: "\r\n"))
    }

    @Test("T-4 any 2xx says that the report was taken, whatever comes behind its head")
    func taken() {
        #expect(steps(["HTTP/1.1 204 No Content\r\n\r\n"]) == [.delivered])
        #expect(
            steps(["HTTP/1.1 20", "0 OK\r\nContent-Length: 5\r\n", "\r\nhel"]) == [.needMore, .needMore, .delivered]
        )
    }

    @Test("T-4 nothing but a 2xx says so, and a redirection isn't followed", arguments: [301, 307, 401, 404, 500, 101])
    func refused(_ status: UInt16) {
        #expect(steps(["HTTP/1.1 \(status) X\r\nLocation: /\r\n\r\n"]) == [.failed(.status(status))])
    }

    @Test("T-4 interim responses are passed over, but not without end")
    func interim() {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n"
        #expect(steps([interim + interim + "HTTP/1.1 202 Accepted\r\n\r\n"]) == [.delivered])
        let many = [String](repeating: interim, count: ReportStateMachine.mostInterim + 1)
        let found = steps(many)
        #expect(found.dropLast().allSatisfy { $0 == .needMore })
        #expect(found.last == .failed(.malformed))
    }

    @Test("T-4 what is no response, or never ends, is a failure")
    func malformed() {
        #expect(steps(["SSH-2.0-OpenSSH_9.2\r\n\r\n"]) == [.failed(.malformed)])
        let lines = String(repeating: "X-Filler: \(String(repeating: "x", count: 1000))\r\n", count: 20)
        #expect(steps(["HTTP/1.1 200 OK\r\n" + lines]) == [.failed(.malformed)])
        #expect(ReportStateMachine().ended() == .failed(.closed))
    }
}
