package import Crypto

/// What a rule file gives for a client certificate: the bytes of its files, as yet unread by any TLS library (T-6).
package enum ClientCertificate: Equatable, Sendable {
    /// A chain as PEM and the private key as PEM, which a passphrase opens if it is encrypted.
    case pem(certificate: [UInt8], privateKey: Secret, passphrase: Secret?)
    /// A PKCS#12 file [RFC 7292] and its passphrase, if it has one.
    case pkcs12(Secret, passphrase: Secret?)
}
