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

    /// The three forms of RFC 9110 s.5.6.7, and moments from `date -u -d TEXT +%s`.
    @Test(
        "dates are read in all three forms",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("Friday, 01-Mar-30 00:00:00 GMT", 1_898_553_600), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] as [(String, Int64)]
    )
    func read(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate.unixSeconds(Array(text.utf8).span) == seconds)
    }

    @Test(
        "what is no date isn't read as one",
        arguments: [
            "", "0", "soon", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nox 1994 08:49:37 GMT",
            "Sun, 06 Nov 19940 08:49:37 GMT", "1994-11-06T08:49:37Z", "a b c d e f g h", "a b c d e f g h i j k",
        ]
    )
    func noDate(_ text: String) {
        #expect(HTTPDate.unixSeconds(Array(text.utf8).span) == nil)
    }
}
