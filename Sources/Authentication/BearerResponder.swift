internal import Bytes
package import Crypto

/// Makes the value that answers a Bearer challenge [RFC 6750, section 2.1].
package enum BearerResponder {
    /// The whole field value, which doesn't depend on the challenge.
    package static func value(_ credential: Credential) throws(AuthenticationError) -> Secret {
        guard case .token(let token, _) = credential.kind else { throw .wrongKind }
        guard !token.isEmpty, token.withBytes(isVisible) else { throw .controlCharacter }
        let count = "Bearer ".utf8.count + token.count
        guard count <= maximumValueCount else { throw .valueTooLong }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        bytes.append(contentsOf: "Bearer ".utf8)
        token.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        return Secret(wiping: &bytes)
    }

    /// Servers give tokens with more than b68token has; what would end the value or the field is refused.
    private static func isVisible(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where !(0x21...0x7e).contains(bytes[index]) { return false }
        return true
    }
}
