/// A certificate that a rule file pins by its file.
package struct PinnedCertificate: Hashable, Sendable {
    /// What messages call it: the path as it was written.
    package let name: String
    /// The SHA-256 of its DER.
    package let fingerprint: Fingerprint
    /// The pin of its key, which is what counts under `public-key`.
    package let publicKeyPin: PublicKeyPin

    /// A pinned certificate from its parts.
    package init(name: String, fingerprint: Fingerprint, publicKeyPin: PublicKeyPin) {
        self.name = name
        self.fingerprint = fingerprint
        self.publicKeyPin = publicKeyPin
    }
}

/// The pins of one policy: any one of them is enough.
package struct PinSet: Hashable, Sendable {
    /// What was written as `sha256/…`, in order and each once.
    package let publicKeys: [PublicKeyPin]
    /// What was written as `{ certificate: FILE }`, in order and each once.
    package let certificates: [PinnedCertificate]

    /// A set of these pins; what repeats another one is left out.
    package init(publicKeys: [PublicKeyPin] = [], certificates: [PinnedCertificate] = []) {
        var keys: [PublicKeyPin] = []
        for pin in publicKeys where !keys.contains(pin) { keys.append(pin) }
        var kept: [PinnedCertificate] = []
        for pin in certificates where !kept.contains(where: { $0.fingerprint == pin.fingerprint }) { kept.append(pin) }
        self.publicKeys = keys
        self.certificates = kept
    }

    /// Whether nothing is pinned.
    package var isEmpty: Bool { publicKeys.isEmpty && certificates.isEmpty }

    /// The keys that are pinned, by themselves or by a certificate, each once.
    package var keys: [PublicKeyPin] {
        var keys = publicKeys
        for pin in certificates where !keys.contains(pin.publicKeyPin) { keys.append(pin.publicKeyPin) }
        return keys
    }

    /// Whether the key of this certificate is pinned.
    package func containsKey(of certificate: CertificateFacts) -> Bool {
        publicKeys.contains(certificate.publicKeyPin)
            || certificates.contains { $0.publicKeyPin == certificate.publicKeyPin }
    }

    /// Whether this certificate itself is pinned, byte for byte.
    package func contains(_ certificate: CertificateFacts) -> Bool {
        certificates.contains { $0.fingerprint == certificate.fingerprint }
    }
}
