import Bytes
import Exchange
import HTTP
import Testing

/// A response as a whole, without a socket.
@Suite struct WholeResponseTests {
    /// The last step of a response that comes in these parts, and its content; with `ends` the connection ends then.
    private func read(_ parts: [String], ends: Bool = false) -> (WholeResponse.Step, String) {
        var response = WholeResponse(to: .post, longestBody: 10)
        var step = WholeResponse.Step.needMore
        for part in parts where step == .needMore { step = response.received(Array(part.utf8).span) }
        if ends, step == .needMore { step = response.ended() }
        return (step, String(decoding: response.body, as: UTF8.self))
    }

    @Test(
        "A-24 a response is whole by its length, its last chunk or the connection's end, behind interim ones",
        arguments: [
            (["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"], false),
            (
                [
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
                ], false
            ),
            (["HTTP/1.1 200 O", "K\r\n\r\na", "b", "c"], true),
        ]
    )
    func whole(_ parts: [String], _ ends: Bool) {
        #expect(read(parts, ends: ends) == (.complete, "abc"))
        // Byte by byte it is the same.
        #expect(read(parts.joined().map { String($0) }, ends: ends) == (.complete, "abc"))
    }

    @Test("A-24 a response without content is whole with its head")
    func empty() {
        #expect(read(["HTTP/1.1 204 No Content\r\n\r\n"]) == (.complete, ""))
    }

    @Test(
        "A-24 what is cut short, too long or no response is told as such",
        arguments: [
            (["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"], .closed), (["HTTP/1.1 20"], .closed), ([], .closed),
            (["HTTP/1.1 200 OK\r\n\r\n0123456789", "x"], .tooLong), (["220 smtp.example\r\n\r\n"], .malformed),
            (["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"], .malformed),
            (["HTTP/1.1 101 Switching Protocols\r\n\r\n"], .malformed),
            ([String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 9)], .malformed),
        ] as [([String], WholeResponse.Failure)]
    )
    func failed(_ parts: [String], _ failure: WholeResponse.Failure) {
        #expect(read(parts, ends: true).0 == .failed(failure))
    }
}
