internal import COpenSSL

/// Computes one message digest after the other without allocating: it keeps a context for each algorithm it has met.
///
/// It belongs to one thread. Whoever feeds a long message piece by piece needs one of its own.
@safe
package final class MessageDigest {
    private var contexts: [3 of OpaquePointer?]
    private var active = 0

    /// A digest without contexts; each is made when its algorithm is first begun.
    package init() {
        unsafe contexts = .init(repeating: nil)
    }

    deinit {
        for index in unsafe contexts.indices {
            unsafe EVP_MD_CTX_free(contexts[index])
        }
    }

    /// Starts a new message and forgets what was left of another; `algorithm` must be available.
    package func begin(_ algorithm: DigestAlgorithm) {
        active = Int(algorithm.rawValue)
        if unsafe contexts[active] == nil {
            unsafe contexts[active] = EVP_MD_CTX_new()
        }
        let status = unsafe EVP_DigestInit_ex2(contexts[active], FetchedDigests.shared.pointer(for: algorithm), nil)
        precondition(status == 1, "a digest was begun that this OpenSSL doesn't offer")
    }

    /// Adds `bytes` to the message that was begun.
    package func update(_ bytes: Span<UInt8>) {
        let status = unsafe bytes.withUnsafeBytes { storage in
            unsafe EVP_DigestUpdate(contexts[active], storage.baseAddress, storage.count)
        }
        precondition(status == 1, "a digest was updated before it was begun")
    }

    /// Adds one byte to the message that was begun.
    package func update(_ byte: UInt8) {
        var byte = byte
        let status = unsafe EVP_DigestUpdate(contexts[active], &byte, 1)
        precondition(status == 1, "a digest was updated before it was begun")
    }

    /// Ends the message: writes its digest to the beginning of `result` and returns the digest's length.
    package func finish(into result: inout [64 of UInt8]) -> Int {
        var count: CUnsignedInt = 0
        var span = result.mutableSpan
        let status = unsafe span.withUnsafeMutableBufferPointer { storage in
            unsafe EVP_DigestFinal_ex(contexts[active], storage.baseAddress, &count)
        }
        precondition(status == 1, "a digest was finished before it was begun")
        return Int(count)
    }

    /// The digest of one whole message.
    package func digest(_ algorithm: DigestAlgorithm, of bytes: Span<UInt8>) -> [UInt8] {
        begin(algorithm)
        update(bytes)
        var result = [64 of UInt8](repeating: 0)
        let count = finish(into: &result)
        return (0..<count).map { result[$0] }
    }
}

@available(*, unavailable)
extension MessageDigest: Sendable {}
