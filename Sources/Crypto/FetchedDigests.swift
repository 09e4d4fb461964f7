internal import COpenSSL

/// The provider's hash functions, fetched once in a process: a fetch takes a lock and walks the property store.
@safe
final class FetchedDigests: @unchecked Sendable {
    // Unchecked: the pointers are set once, and an EVP_MD is immutable and counted atomically.
    static let shared = FetchedDigests()

    private let md5: OpaquePointer?
    private let sha256: OpaquePointer?
    private let sha512Cut256: OpaquePointer?

    private init() {
        unsafe md5 = EVP_MD_fetch(nil, "MD5", nil)
        unsafe sha256 = EVP_MD_fetch(nil, "SHA2-256", nil)
        unsafe sha512Cut256 = EVP_MD_fetch(nil, "SHA2-512/256", nil)
        ERR_clear_error()
    }

    func isAvailable(_ algorithm: DigestAlgorithm) -> Bool {
        unsafe pointer(for: algorithm) != nil
    }

    /// The EVP_MD, which lives as long as the process.
    @unsafe
    func pointer(for algorithm: DigestAlgorithm) -> OpaquePointer? {
        switch algorithm {
        case .md5: unsafe md5
        case .sha256: unsafe sha256
        case .sha512_256: unsafe sha512Cut256
        }
    }
}
