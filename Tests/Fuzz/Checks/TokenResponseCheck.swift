import Bytes
import Crypto
import Tokens

/// What must hold for any response of a token endpoint; the fuzzer and the replay of its corpus both ask.
package enum TokenResponseCheck {
    /// Reads the input as a body, as an error's body, and as `Retry-After`; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        faultOfBody(input) ?? faultOfError(input) ?? faultOfPause(input)
    }

    private static func faultOfBody(_ input: [UInt8]) -> String? {
        guard case .token(let token, let lifetime) = TokenResponse(status: 200, body: input.span) else { return nil }
        if let lifetime, lifetime > .seconds(3_155_760_000) { return "a lifetime beyond a century" }
        return token.withBytes { bytes in
            if bytes.isEmpty { return "an empty token" }
            for index in bytes.indices where bytes[index] <= 0x20 || bytes[index] >= 0x7f {
                return "a token that doesn't fit into a field"
            }
            return nil
        }
    }

    private static func faultOfError(_ input: [UInt8]) -> String? {
        guard case .refused(let error) = TokenResponse(status: 400, body: input.span) else {
            return "a 400 that isn't taken as a refusal"
        }
        guard let error else { return nil }
        return error.utf8.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") } ? nil : "a code that isn't known"
    }

    private static func faultOfPause(_ input: [UInt8]) -> String? {
        guard let pause = RetryAfter.nanoseconds(input.span, unixSeconds: 1_784_113_445) else { return nil }
        return pause > .seconds(315_360_000) ? "a pause beyond ten years" : nil
    }
}
