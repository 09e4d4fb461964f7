import Bytes
import Exchange
import HTTP

/// What must hold for anything that a SOCKS5 client says; the fuzzer and the replay of its corpus both ask.
package enum SOCKSGreetingCheck {
    /// Reads the input as it comes whole, with and without a login; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        fault(of: input, requiresLogin: false) ?? fault(of: input, requiresLogin: true)
    }

    private static func fault(of input: [UInt8], requiresLogin: Bool) -> String? {
        var greeting = SOCKSGreeting(requiresLogin: requiresLogin)
        var rest = input[...]
        var isLoggedIn = false
        // Methods, a login, and the request.
        for _ in 0..<3 {
            let bytes = Array(rest)
            switch greeting.next(bytes.span) {
            case .needMore:
                return bytes.count > 515 ? "more is wanted than any part has" : nil
            case .end:
                return nil
            case .answer(let consumed, let answer):
                guard consumed > 0, consumed <= bytes.count, answer.count == 2 else { return "a part of no length" }
                rest = rest.dropFirst(consumed)
            case .login(let consumed, let name, let password):
                guard requiresLogin else { return "a login that nobody asked for" }
                guard name.upperBound <= consumed, password.upperBound <= consumed, consumed <= bytes.count else {
                    return "a login beyond its part"
                }
                isLoggedIn = true
                rest = rest.dropFirst(consumed)
            case .connect(let consumed, let authority):
                guard consumed <= bytes.count else { return "more is taken than there is" }
                guard isLoggedIn == requiresLogin else { return "a request without its login" }
                let isClean = authority.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
                return isClean ? nil : "a name that could end a line"
            }
        }
        return "more parts than there are"
    }
}
