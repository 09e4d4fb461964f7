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

    /// Whether this OpenSSL offers it: a FIPS configuration has no MD5.
    package var isAvailable: Bool { FetchedDigests.shared.isAvailable(self) }
}
