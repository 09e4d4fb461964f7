internal import COpenSSL

/// Overwrites memory that held a secret, in a way that the optimiser keeps.
package enum Wiping {
    /// Overwrites the elements of `bytes` and empties it; other copies of the array, if there are any, keep theirs.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { storage in
            if let base = storage.baseAddress {
                unsafe OPENSSL_cleanse(base, storage.count)
            }
        }
        bytes.removeAll()
    }

    /// Overwrites `bytes` in place.
    package static func wipe(_ bytes: inout MutableSpan<UInt8>) {
        unsafe bytes.withUnsafeMutableBytes { storage in
            if let base = storage.baseAddress {
                unsafe OPENSSL_cleanse(base, storage.count)
            }
        }
    }
}
