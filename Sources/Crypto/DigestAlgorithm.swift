internal import COpenSSL

/// The hash functions that HTTP Digest may ask for [RFC 7616, section 6.1].
package enum DigestAlgorithm: UInt8, Sendable, CaseIterable {
    case md5
    case sha256
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// SHA-512/256 with its own initial value [FIPS 180-4, section 5.3.6.2], not SHA-512 cut short.
    case sha512_256

    /// The length of its result in bytes.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha256, .sha512_256: 32
        }
    }

    /// Whether OpenSSL's configuration offers it: a FIPS one has no MD5.
    package var isAvailable: Bool { Self.available.contains(self) }

    // Asked once in a process: a fetch takes a lock and walks the property store.
    private static let available = Set(allCases.filter(\.canBeFetched))

    private var canBeFetched: Bool {
        let fetched = unsafe EVP_MD_fetch(nil, providerName, nil)
        defer { unsafe EVP_MD_free(fetched) }
        ERR_clear_error()
        return unsafe fetched != nil
    }

    private var providerName: String {
        switch self {
        case .md5: "MD5"
        case .sha256: "SHA2-256"
        case .sha512_256: "SHA2-512/256"
        }
    }
}
