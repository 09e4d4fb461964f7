import Bytes
import Testing

@testable import HTTP

@Suite struct HTTPDateTests {
    /// From RFC 9110 s.5.6.7 and `date -u -d @SECONDS`.
    @Test(
        "H-3 dates are written as IMF-fixdate",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (1_704_067_199, "Sun, 31 Dec 2023 23:59:59 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (4_107_456_000, "Sun, 28 Feb 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func date(_ seconds: Int64, _ text: String) {
        var buffer = ByteBuffer()
        HTTPDate.append(unixSeconds: seconds, into: &buffer)
        let written = String(buffer.readable)
        #expect(written == text)
    }
}
