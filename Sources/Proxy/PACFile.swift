internal import Bytes
internal import Events
internal import Glibc
internal import PAC

/// Reads a PAC file of this machine, where it has changed.
enum PACFile {
    /// What tells one content of a file from another.
    struct Stamp: Equatable, Sendable {
        let seconds: Int
        let nanoseconds: Int
        let size: Int
        let inode: UInt
    }

    enum Outcome: Sendable {
        /// It is the one that is known.
        case unchanged
        case read([UInt8], Stamp)
        case failed(SystemError)
    }

    /// The content of a file unless it bears the stamp `known`; fails also where it is longer than a PAC file may be.
    static func read(_ path: String, unless known: Stamp?) -> Outcome {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return .failed(SystemError(.open, code: errno)) }
        let descriptor = Descriptor(owning: number)
        var status = stat()
        guard unsafe fstat(descriptor.rawValue, &status) == 0 else { return .failed(SystemError(.open, code: errno)) }
        let stamp = Stamp(
            seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec,
            size: Int(status.st_size),
            inode: UInt(status.st_ino)
        )
        if stamp == known { return .unchanged }
        var bytes = [UInt8](repeating: 0, count: PACText.longest + 1)
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes.withUnsafeMutableBytes { storage in
                unsafe Glibc.read(descriptor.rawValue, storage.baseAddress?.advanced(by: count), storage.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return .failed(SystemError(.receive, code: errno)) }
            if got == 0 { return .read(Array(bytes.prefix(count)), stamp) }
            count += got
        }
        return .failed(SystemError(.receive, code: EFBIG))
    }
}
