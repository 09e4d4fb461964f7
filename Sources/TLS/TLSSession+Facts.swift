internal import COpenSSL
package import Trust

// What is known of a session once its handshake is done.
extension TLSSession {
    /// The version of TLS; nil before the handshake has chosen it, or where it is none that a policy names.
    package var negotiatedVersion: TLSVersion? {
        switch unsafe SSL_version(ssl) {
        case TLS1_2_VERSION: .v12
        case TLS1_3_VERSION: .v13
        default: nil
        }
    }

    /// The cipher suite in OpenSSL's words; nil before the handshake has chosen one.
    package var cipherName: String? {
        guard let cipher = unsafe SSL_get_current_cipher(ssl), let name = unsafe SSL_CIPHER_get_name(cipher) else {
            return nil
        }
        return unsafe String(cString: name)
    }

    /// Whether the handshake resumed an earlier session, in which no certificate is sent.
    package var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// Whether the kernel encrypts what is written.
    package var usesKernelTLS: Bool { unsafe COpenSSL_BIO_get_ktls_send(SSL_get_wbio(ssl)) == 1 }

    /// The data of the channel binding tls-server-end-point [RFC 5929 s.4], for Extended Protection (C-4): a hash of
    /// the server's certificate behind the name of the type; nil without one, or where its signature names no hash.
    package var channelBinding: [UInt8]? {
        guard let peer = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
        var number: Int32 = 0
        guard unsafe X509_get_signature_info(peer, &number, nil, nil, nil) == 1, number != NID_undef else { return nil }
        // MD5 and SHA-1 give way to SHA-256.
        if number == NID_md5 || number == NID_sha1 || number == NID_md5_sha1 { number = NID_sha256 }
        guard let digest = unsafe EVP_get_digestbyname(OBJ_nid2sn(number)) else { return nil }
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe X509_digest(peer, digest, &hash, &count) == 1 else { return nil }
        return Array("tls-server-end-point:".utf8) + hash.prefix(Int(count))
    }
}
