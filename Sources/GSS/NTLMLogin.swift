internal import Bytes
package import Crypto

/// What NTLM logs in with.
package struct NTLMLogin: Sendable {
    /// A secret that NTLM can use.
    package enum Proof: Sendable {
        case password(Secret)
        /// The 16 bytes of the NT hash of the password [MS-NLMP, section 3.3.1].
        case hash(Secret)
    }

    package let name: LoginName
    package let proof: Proof

    /// A login in all its parts.
    package init(name: LoginName, proof: Proof) {
        self.name = name
        self.proof = proof
    }

    /// The NT hash in hexadecimal digits and a NUL, as the mechanism's store has it, for the caller to wipe.
    ///
    /// A password isn't given to gss-ntlmssp, which loads OpenSSL's legacy provider anew for each hash and keeps it.
    func storedHash() -> [UInt8] {
        switch proof {
        case .password(let password): NTHash.of(password).withBytes(NTLMLogin.hexadecimal)
        case .hash(let hash): hash.withBytes(NTLMLogin.hexadecimal)
        }
    }

    private static func hexadecimal(_ bytes: Span<UInt8>) -> [UInt8] {
        var digits = Hex.encode(bytes)
        defer { Wiping.wipe(&digits) }
        return terminated(digits.span)
    }

    /// A copy with a NUL behind it, made in one piece so that no other copy is left behind.
    static func terminated(_ bytes: Span<UInt8>) -> [UInt8] {
        var copy = [UInt8](repeating: 0, count: bytes.count + 1)
        var window = copy.mutableSpan
        for index in bytes.indices { window[index] = bytes[index] }
        return copy
    }
}
