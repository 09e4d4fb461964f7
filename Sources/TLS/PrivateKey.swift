internal import COpenSSL
package import Crypto

/// A private key, for a certificate of ours.
@safe package final class PrivateKey: @unchecked Sendable {
    // Unchecked: a key is never changed once it is made.
    let raw: OpaquePointer

    /// Takes over one reference to an `EVP_PKEY`.
    init(taking raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe EVP_PKEY_free(raw) }

    /// A new key on P-256.
    static func make() throws(TLSError) -> PrivateKey {
        guard let raw = unsafe COpenSSL_EVP_EC_gen("P-256") else { throw TLSError(.library) }
        return unsafe PrivateKey(taking: raw)
    }

    /// Reads the first private key of a PEM text; an encrypted one needs its passphrase.
    ///
    /// Throws `passphrase` where it is encrypted and `passphrase` doesn't open it, `material` where it can't be read.
    package static func read(_ pem: Secret, passphrase: Secret?) throws(TLSError) -> PrivateKey {
        ERR_clear_error()
        let source = try pem.withBytes { (bytes) throws(TLSError) in try MemoryBIO(reading: bytes) }
        let request = PassphraseRequest(passphrase)
        let raw = unsafe withExtendedLifetime(request) {
            unsafe PEM_read_bio_PrivateKey(
                source.raw,
                nil,
                copyPassphrase,
                Unmanaged.passUnretained(request).toOpaque()
            )
        }
        if let raw = unsafe raw { return unsafe PrivateKey(taking: raw) }
        guard request.wasAsked else { throw TLSError(.material, .local, "a private key can't be read") }
        let fault = passphrase == nil ? "is encrypted and has no passphrase" : "isn't opened by its passphrase"
        throw TLSError(.passphrase, .local, "a private key \(fault)")
    }

    /// It as PKCS#8 in PEM, not encrypted.
    func pem() throws(TLSError) -> Secret {
        let target = try MemoryBIO()
        guard unsafe PEM_write_bio_PKCS8PrivateKey(target.raw, raw, nil, nil, 0, nil, nil) == 1 else {
            throw TLSError(.library)
        }
        var bytes = target.bytes
        return Secret(wiping: &bytes)
    }

    /// What its signatures hash with; nil for the kinds of key that hash by themselves.
    var digest: OpaquePointer? {
        switch unsafe EVP_PKEY_get_base_id(raw) {
        case EVP_PKEY_ED25519, EVP_PKEY_ED448: nil
        default: unsafe EVP_sha256()
        }
    }
}

/// What OpenSSL is told when it asks for a passphrase; without it, it would ask the terminal.
final class PassphraseRequest {
    let passphrase: Secret?
    private(set) var wasAsked = false

    init(_ passphrase: Secret?) { self.passphrase = passphrase }

    /// Writes the passphrase to `target`; −1 if there is none, or no room for it.
    func answer(_ target: UnsafeMutableBufferPointer<UInt8>) -> Int32 {
        wasAsked = true
        guard let passphrase, passphrase.count <= target.count else { return -1 }
        passphrase.withBytes { bytes in
            for index in bytes.indices { unsafe target[index] = bytes[index] }
        }
        return Int32(passphrase.count)
    }
}

private func copyPassphrase(
    _ target: UnsafeMutablePointer<CChar>?,
    _ size: Int32,
    _: Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let target = unsafe target, let context = unsafe context, size > 0 else { return -1 }
    let request = unsafe Unmanaged<PassphraseRequest>.fromOpaque(context).takeUnretainedValue()
    return unsafe target.withMemoryRebound(to: UInt8.self, capacity: Int(size)) { bytes in
        unsafe request.answer(UnsafeMutableBufferPointer(start: bytes, count: Int(size)))
    }
}
