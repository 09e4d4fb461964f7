import Testing

@testable import HTTP

@Suite struct ParseErrorTests {
    @Test("O-9 every code has a reason of its own", arguments: [ParseError.Message.request, .response])
    func reasons(_ message: ParseError.Message) {
        let reasons = ParseError.Code.allCases.map { ParseError(message, $0, offset: 0).reason }
        #expect(Set(reasons).count == reasons.count)
        #expect(reasons.allSatisfy { $0.hasPrefix("\(message).") && $0.last != "." })
    }

    @Test("H-4 a response's error is 502, a request's one of five")
    func statuses() {
        for code in ParseError.Code.allCases {
            #expect(ParseError(.response, code, offset: 0).status == 502)
            #expect([400, 414, 431, 501, 505].contains(ParseError(.request, code, offset: 0).status))
        }
    }

    @Test("H-9 errors have the error type that fits")
    func types() {
        #expect(ParseError(.request, .chunkSize, offset: 0).proxyErrorType == .httpRequestError)
        #expect(ParseError(.response, .chunkSize, offset: 0).proxyErrorType == .httpResponseTransferCoding)
        #expect(ParseError(.response, .headLength, offset: 0).proxyErrorType == .httpResponseHeaderSectionSize)
        #expect(ParseError(.response, .statusLine, offset: 0).proxyErrorType == .httpProtocolError)
    }
}
