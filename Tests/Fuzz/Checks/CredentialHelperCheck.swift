import Authentication
import Bytes
import HTTP

/// What must hold for whatever a credential helper prints; the fuzzer and the replay of its corpus both ask.
package enum CredentialHelperCheck {
    /// Reads the input, and tells the helper of what it gave; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        guard case .found(let kind, let expires) = CredentialHelperText.answer(input.span, now: 1000) else {
            return nil
        }
        if let expires, expires <= 1000 { return "what has ended is used" }
        let server = Origin(scheme: .https, host: "a.example")
        // What was read from lines can be written as lines.
        guard let told = CredentialHelperText.request(for: server, credential: kind) else { return "it can't be told" }
        guard case .found(let again, _) = CredentialHelperText.answer(told.span, now: 1000) else {
            return "what is told can't be read"
        }
        let first = Credential(name: "fuzz", kind: kind)
        return first.hasSameSecret(as: Credential(name: "fuzz", kind: again)) ? nil : "another secret is told"
    }
}
