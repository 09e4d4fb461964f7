import Authentication
import Bytes
import Crypto

/// What must hold for any bytes read as a netrc file; the fuzzer and the replay of its corpus both ask.
package enum NetrcCheck {
    /// Looks for a host's entry; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
        switch NetrcFile.entry(for: "a.example", in: input.span) {
        case .none: return nil
        case .malformed(let line): return (1...lines).contains(line) ? nil : "a line that isn't there"
        case .login(let username, let password):
            if username.contains(where: ASCII.isControl) { return "a control character in a login" }
            let isClean = password.withBytes { span in !span.indices.contains { ASCII.isControl(span[$0]) } }
            return isClean ? nil : "a control character in a password"
        }
    }
}
