import Testing

@testable import HTTP

@Suite struct HTTPMethodTests {
    @Test("methods are read with case", arguments: HTTPMethod.allCases)
    func read(_ method: HTTPMethod) {
        let bytes = Array(method.text.utf8)
        #expect(HTTPMethod(bytes.span) == method)
        let lower = Array(method.text.lowercased().utf8)
        #expect(HTTPMethod(lower.span) == .other)
        let longer = Array("\(method.text)X".utf8)
        #expect(HTTPMethod(longer.span) == .other)
        let padded = [0] + bytes
        #expect(HTTPMethod(padded.span) == .other)
    }

    @Test("safe and idempotent methods are those of RFC 9110")
    func properties() {
        #expect(HTTPMethod.allCases.filter(\.isSafe) == [.get, .head, .options, .trace])
        #expect(HTTPMethod.allCases.filter(\.isIdempotent) == [.get, .head, .put, .delete, .options, .trace])
    }

    @Test("schemes are read in any case")
    func schemes() {
        #expect(Scheme(Array("HTTP".utf8).span) == .http)
        #expect(Scheme(Array("https".utf8).span) == .https)
        #expect(Scheme(Array("ftp".utf8).span) == nil)
        #expect(Scheme(Array("httpss".utf8).span) == nil)
        #expect(Scheme.http.defaultPort == 80 && Scheme.https.defaultPort == 443)
    }
}
