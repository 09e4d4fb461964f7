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

    /// The key of the mechanism's credential store for the secret, and its value ending in NUL, which the caller wipes.
    func store() -> (key: StaticString, value: [UInt8]) {
        switch proof {
        case .password(let password):
            ("ntlmssp_password", password.withBytes(NTLMLogin.terminated))
        case .hash(let hash):
            ("ntlmssp_nthash", hash.withBytes(NTLMLogin.hexadecimal))
        }
    }

    private static func hexadecimal(_ bytes: Span<UInt8>) -> [UInt8] {
        var digits = Hex.encode(bytes)
        defer { Wiping.wipe(&digits) }
        return terminated(digits.span)
    }

    /// A copy with a NUL behind it, made in one piece so that no other copy is left behind.
    static func terminated(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: bytes.count + 1) { output in
            for index in bytes.indices { output.append(bytes[index]) }
            output.append(0)
        }
    }
}
