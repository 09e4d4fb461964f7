internal import Crypto
internal import Events
internal import Glibc

/// Reads a file that holds a secret.
enum SecretFile {
    /// What is read at the most, in bytes.
    static let longest = 1 << 20

    /// The content of a file; fails also where it is longer than `longest`.
    static func read(_ path: String) -> Result<Secret, SystemError> {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return .failure(SystemError(.open, code: errno)) }
        let descriptor = Descriptor(owning: number)
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        defer { Wiping.wipe(&bytes) }
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes.withUnsafeMutableBytes { storage in
                unsafe Glibc.read(descriptor.rawValue, storage.baseAddress?.advanced(by: count), storage.count - count)
            }
            guard got >= 0 else {
                if errno == EINTR { continue }
                return .failure(SystemError(.receive, code: errno))
            }
            if got == 0 { return .success(Secret(bytes.span.extracting(0..<count))) }
            count += got
        }
        return .failure(SystemError(.receive, code: EFBIG))
    }
}
