import Testing

@testable import HTTP

@Suite struct HeadScannerTests {
    @Test(
        "the empty line is found, in pieces of any size",
        arguments: [
            ("a\r\nb\r\n\r\nc", 8), ("a\nb\n\nc", 5), ("a\n\r\nb", 4), ("\r\n\r\n", 4), ("a\r\n\r\r\n\r\n", 8),
            ("a\r\nb", nil),
            ("\r\n", nil), ("a\n\rb\n", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func emptyLine(_ text: String, _ end: Int?) {
        let bytes = Array(text.utf8)
        for step in 1...max(bytes.count, 1) {
            var scanner = HeadScanner()
            var found: Int?
            var count = 0
            while found == nil && count < bytes.count {
                count = min(count + step, bytes.count)
                if scanner.scan(bytes.span.extracting(0..<count)) { found = scanner.scanned }
            }
            #expect(found == end)
        }
    }

    @Test("a field section may be empty")
    func fieldSection() {
        var scanner = HeadScanner(atFieldSection: true)
        #expect(scanner.scan(Array("\r\nrest".utf8).span) == true)
        #expect(scanner.scanned == 2)
        scanner.reset()
        #expect(scanner.scanned == 0)
    }
}
