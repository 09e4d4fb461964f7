import Bytes
import Crypto
import Testing

@testable import Tokens

/// What a token endpoint answers.
struct TokenResponseTests {
    private func read(_ body: String, _ status: UInt16 = 200) -> String {
        switch TokenResponse(status: status, body: Array(body.utf8).span) {
        case .token(let token, let lifetime):
            let text = token.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
            return "token \(text) \(lifetime.map { "\($0 / 1_000_000)" } ?? "unknown")"
        case .refused(let error): return "refused \(error ?? "-")"
        case .malformed(let fault): return "malformed \(fault)"
        }
    }

    private func token(_ more: String) -> String { read(#"{"access_token":"t0k","token_type":"Bearer"\#(more)}"#) }

    @Test("A-24 the response of RFC 6749, section 5.1, is read, whatever else it holds and whatever type's case")
    func example() {
        let example = """
            {
              "access_token":"2YotnFZFEjr1zCsicMWpAA",
              "token_type":"bEARER",
              "expires_in":3600,
              "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA",
              "example_parameter":{"a":[1,null,true]}
            }
            """
        #expect(read(example) == "token 2YotnFZFEjr1zCsicMWpAA 3600000")
    }

    @Test(
        "A-24 a lifetime is a number or a text of digits; without one the token holds until it is refused",
        arguments: [
            (#","expires_in":1"#, "1000"), (#","expires_in":"299""#, "299000"), (#","expires_in":0.25"#, "250"),
            (#","expires_in":0"#, "0"), (#","expires_in":-5"#, "0"), ("", "unknown"),
            (#","expires_in":null"#, "unknown"),
            (#","expires_in":"soon""#, "unknown"), (#","expires_in":[1]"#, "unknown"),
            (#","expires_in":1e300"#, "3155760000000"), (#","expires_in":9223372036854775807"#, "3155760000000"),
        ]
    )
    func lifetime(_ member: String, _ milliseconds: String) {
        #expect(token(member) == "token t0k \(milliseconds)")
    }

    @Test(
        "A-24 what is no token response gives no token",
        arguments: [
            ("", "json"), ("[]", "json"), ("\"a\"", "json"), ("{}", "noToken"), (#"{"access_token":1}"#, "noToken"),
            (#"{"access_token":"t"}"#, "tokenType"), (#"{"access_token":"t","token_type":"mac"}"#, "tokenType"),
            (#"{"access_token":"t","access_token":"u","token_type":"Bearer"}"#, "json"),
            (#"{"access_token":"","token_type":"Bearer"}"#, "token"),
            (#"{"access_token":"a b","token_type":"Bearer"}"#, "token"),
            (#"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#, "token"),
            (#"{"access_token":"ü","token_type":"Bearer"}"#, "token"),
            (#"{"access_token":"a\u0000b","token_type":"Bearer"}"#, "json"),
            (#"{"access_token":"t","token_type":"Bearer"} x"#, "json"),
        ]
    )
    func malformed(_ body: String, _ fault: String) {
        #expect(read(body) == "malformed \(fault)")
    }

    @Test("A-24 brackets inside each other are bounded, those in texts don't count")
    func depth() {
        func nested(_ depth: Int) -> String {
            token(",\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        #expect(nested(JSONObject.deepest - 1) == "token t0k unknown")
        #expect(nested(JSONObject.deepest) == "malformed json")
        #expect(token(#","x":"[[[[[[[[[[[[[[[[[[[[\"{{{{""#) == "token t0k unknown")
        #expect(read(String(repeating: "[", count: 1 << 20)) == "malformed json")
    }

    @Test(
        "A-24 an error's code is told where a standard knows it, and nothing else of the response",
        arguments: [
            (#"{"error":"invalid_client","error_description":"s3cret"}"#, 401 as UInt16, "refused invalid_client"),
            (#"{"error":"s3cret"}"#, 400, "refused -"), ("s3cret", 403, "refused -"), ("", 500, "refused -"),
            (#"{"error":"invalid_scope"}"#, 200, "refused invalid_scope"),
            (#"{"access_token":"t","token_type":"Bearer"}"#, 400, "refused -"),
        ]
    )
    func refused(_ body: String, _ status: UInt16, _ outcome: String) {
        #expect(read(body, status) == outcome)
    }
}

/// `Retry-After` [RFC 9110, section 10.2.3].
struct RetryAfterTests {
    @Test(
        "A-24 Retry-After is seconds or a date, and never below nothing",
        arguments: [
            ("0", 0), ("120", 120), ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:27 GMT", 0),
            ("18446744073709551615", 315_360_000), ("-1", nil), ("soon", nil), ("", nil),
        ] as [(String, UInt64?)]
    )
    func value(_ text: String, _ seconds: UInt64?) {
        let read = RetryAfter.nanoseconds(Array(text.utf8).span, unixSeconds: 784_111_777)
        #expect(read == seconds.map { .seconds($0) })
    }
}
