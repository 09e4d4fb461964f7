internal import COpenSSL

/// The NT hash of a password [MS-NLMP, section 3.3.1, NTOWFv1]: MD4 over it in UTF-16, which stands for it in NTLM.
package enum NTHash {
    /// The 16 bytes for a password in UTF-8; what is no UTF-8 counts as U+FFFD.
    package static func of(_ password: Secret) -> Secret {
        var text = password.withBytes(utf16)
        defer { Wiping.wipe(&text) }
        var hash = [UInt8](repeating: 0, count: Int(MD4_DIGEST_LENGTH))
        _ = unsafe MD4(text, text.count, &hash)
        return Secret(wiping: &hash)
    }

    /// Little-endian, in an array that is never copied to a larger one.
    private static func utf16(_ bytes: Span<UInt8>) -> [UInt8] {
        var source: [UInt8] = []
        source.reserveCapacity(bytes.count)
        for index in bytes.indices { source.append(bytes[index]) }
        defer { Wiping.wipe(&source) }
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        _ = transcode(source.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: false) { unit in
            text.append(UInt8(truncatingIfNeeded: unit))
            text.append(UInt8(truncatingIfNeeded: unit >> 8))
        }
        return text
    }
}
