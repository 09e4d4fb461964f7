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
            case .connect(let consumed, let request):
                guard consumed <= bytes.count else { return "more is taken than there is" }
                guard (request.login != nil) == requiresLogin else { return "a login that nobody asked for, or none" }
                let isClean = request.authority.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
                return isClean ? nil : "a name that could end a line"
            }
        }
        return "more parts than there are"
    }
}
