internal import COpenSSL

/// Comparison in time that doesn't depend on where the bytes differ.
package enum ConstantTime {
    /// Whether both spans hold the same bytes; spans of different length are unequal at once.
    package static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        if left.isEmpty { return true }
        return unsafe left.withUnsafeBytes { leftBytes in
            unsafe right.withUnsafeBytes { rightBytes in
                guard let leftBase = leftBytes.baseAddress, let rightBase = rightBytes.baseAddress else { return false }
                return unsafe CRYPTO_memcmp(leftBase, rightBase, leftBytes.count) == 0
            }
        }
    }
}
