package import Bytes
internal import COpenSSL

/// Bytes that must not be seen: a password, or a value made from one.
///
/// They are kept in memory of their own, which is wiped when the last reference is dropped. However it is printed or
/// mirrored, a secret shows as `<redacted>`.
@safe
package final class Secret: @unchecked Sendable {
    // Unchecked: the memory is written in `init` only.
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// A copy of `bytes`; the caller's own copy is the caller's to wipe.
    package init(_ bytes: Span<UInt8>) {
        let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        for index in bytes.indices {
            unsafe storage.initializeElement(at: index, to: bytes[index])
        }
        unsafe self.storage = storage
    }

    /// The UTF-8 bytes of `text`.
    package convenience init(_ text: String) {
        var bytes = Array(text.utf8)
        self.init(wiping: &bytes)
    }

    /// Takes the bytes over: `bytes` is wiped and left empty.
    package convenience init(wiping bytes: inout [UInt8]) {
        self.init(bytes.span)
        Wiping.wipe(&bytes)
    }

    deinit {
        if let base = unsafe storage.baseAddress {
            unsafe OPENSSL_cleanse(base, storage.count)
        }
        unsafe storage.deallocate()
    }

    /// How many bytes it has.
    package var count: Int { unsafe storage.count }

    /// Whether it has no bytes; an empty password is a password [RFC 7617, section 2].
    package var isEmpty: Bool { count == 0 }

    /// Lends the bytes to `body`, which must not keep a copy that it doesn't wipe.
    package func withBytes<R, E>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(unsafe UnsafeBufferPointer(storage).span)
    }

    /// Appends the bytes to `buffer`, on their way to the peer that they are meant for.
    package func append(to buffer: inout ByteBuffer) {
        buffer.append(unsafe UnsafeBufferPointer(storage).span)
    }
}

extension Secret: Equatable {
    /// Compares in time that depends on the lengths alone.
    package static func == (left: Secret, right: Secret) -> Bool {
        left.withBytes { leftBytes in right.withBytes { ConstantTime.equal(leftBytes, $0) } }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
