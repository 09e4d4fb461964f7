import Support
import Testing

/// The line that an exchange leaves in the log.
@Suite struct AccessLineTests {
    /// The value of a key in the last line of the access log.
    private func value(_ key: String, in proxy: RunningProxy) -> String? {
        guard let line = proxy.log.split(separator: "\n").last(where: { $0.contains(" access ") }) else { return nil }
        let field = line.split(separator: " ").first { $0.hasPrefix("\(key)=") }
        return field.map { String($0.dropFirst(key.count + 1)) }
    }

    @Test(
        "O-3 a request whose head is refused is told with its client and its time",
        arguments: ["GET http://h.test/ HTTP/1.1\r\nHost: h.test\r\nX : y\r\n\r\n", "G(T / HTTP/1.1\r\n\r\n"]
    )
    func refusedHead(_ head: String) throws {
        let proxy = try RunningProxy("")
        #expect(try proxy.connect().exchange(head).status == 400)
        try proxy.waitForLog(" status=400")
        #expect(value("client", in: proxy) == "127.0.0.1")
        let milliseconds = try #require(value("duration_ms", in: proxy).flatMap(Double.init))
        #expect(milliseconds < 60_000)
    }
}
