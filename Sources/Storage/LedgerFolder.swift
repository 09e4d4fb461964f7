internal import Crypto
internal import Glibc

/// The folder that holds the ledger's file, for every process that shares it (A-7b).
///
/// The file is replaced as a whole, so it can be read without the lock, which is held only for reading it, changing it
/// and putting it in place again. Everything here may block on the disk.
package final class LedgerFolder {
    /// What tells one state of the file from another.
    private struct Identity: Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    private enum Reading {
        case unchanged
        case changed
        case broken
    }

    /// A ledger of more bytes isn't ours.
    private static let sizeBound = 16 * 1024 * 1024
    private static let lockPatience = 500
    private static let lockPause: useconds_t = 10_000

    /// The folder's path.
    package let path: String
    /// What the file said when it was last read; a file that isn't there says nothing, under a salt of its own.
    package private(set) var file = LedgerFile(salt: RandomBytes.bytes(count: LedgerFile.saltLength))
    private var identity: Identity?
    private var notices: [String] = []

    private var ledgerPath: String { path + "/ledger" }
    private var newPath: String { path + "/ledger.new" }
    private var brokenPath: String { path + "/ledger.broken" }
    private var lockPath: String { path + "/ledger.lock" }

    /// The folder at `path`; nothing is touched yet.
    package init(path: String) {
        self.path = path
    }

    /// Makes the folder, for its owner alone, where it isn't there, and sees whether files can be made in it.
    package func prepare() throws(StorageError) {
        try Self.makeFolder(path)
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & 0o022 != 0 {
            notices.append("\(path) can be written by others")
        }
        _ = try OwnedDescriptor(opening: lockPath, O_RDWR | O_CREAT)
        guard unsafe access(path, W_OK) == 0 else { throw StorageError(.write, path) }
    }

    /// Reads the file if it changed since it was last read; returns whether it had.
    package func refresh() throws(StorageError) -> Bool {
        switch try read() {
        case .unchanged: return false
        case .changed: return true
        case .broken:
            try update { _ in }
            return true
        }
    }

    /// Reads the file under the lock, lets `body` change what it says, and puts that in its place.
    package func update(_ body: (inout LedgerFile) -> Void) throws(StorageError) {
        let lock = try lockFile()
        // Until here the lock is held: a descriptor that nothing uses any more would be closed at once.
        defer { _ = lock.rawValue }
        if case .broken = try read() { setAside() }
        var changed = file
        body(&changed)
        guard changed != file else { return }
        do {
            identity = try write(changed)
        } catch {
            // Half a file is of no use to anybody, least of all on a full disk.
            unsafe unlink(newPath)
            throw error
        }
        file = changed
    }

    /// What the operator should know and hasn't been told.
    package func takeNotices() -> [String] {
        defer { notices.removeAll() }
        return notices
    }

    // MARK: Parts

    private static func makeFolder(_ path: String) throws(StorageError) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw StorageError(.makeFolder, path)
        }
        try makeFolder(String(path[..<slash]))
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StorageError(.makeFolder, path) }
    }

    private func lockFile() throws(StorageError) -> OwnedDescriptor {
        let descriptor = try OwnedDescriptor(opening: lockPath, O_RDWR | O_CREAT)
        for _ in 0..<Self.lockPatience {
            if flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw StorageError(.lock, lockPath) }
            usleep(Self.lockPause)
        }
        throw StorageError(.lock, lockPath)
    }

    private func read() throws(StorageError) -> Reading {
        var status = stat()
        guard unsafe lstat(ledgerPath, &status) == 0 else {
            guard errno == ENOENT else { throw StorageError(.read, ledgerPath) }
            return forget()
        }
        if Self.identity(of: status) == identity { return .unchanged }
        let descriptor = try OwnedDescriptor(opening: ledgerPath, O_RDONLY | O_NONBLOCK)
        guard unsafe fstat(descriptor.rawValue, &status) == 0 else { throw StorageError(.read, ledgerPath) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.sizeBound else { return .broken }
        guard let text = try Self.bytes(of: descriptor.rawValue, count: Int(status.st_size), ledgerPath),
            let file = LedgerFile(text: text)
        else { return .broken }
        self.file = file
        identity = Self.identity(of: status)
        return .changed
    }

    /// The file went away, or never was: nothing is known.
    private func forget() -> Reading {
        guard identity != nil else { return .unchanged }
        identity = nil
        file = LedgerFile(salt: RandomBytes.bytes(count: LedgerFile.saltLength))
        return .changed
    }

    private func setAside() {
        let isRenamed = unsafe rename(ledgerPath, brokenPath) == 0
        notices.append(
            isRenamed
                ? "\(ledgerPath) can't be understood; it was renamed to \(brokenPath), and a new one is begun"
                : "\(ledgerPath) can't be understood, and not be renamed"
        )
        _ = forget()
    }

    private func write(_ file: LedgerFile) throws(StorageError) -> Identity {
        let descriptor = try OwnedDescriptor(opening: newPath, O_WRONLY | O_CREAT | O_TRUNC)
        let text = file.text
        var written = 0
        while written < text.count {
            let rest = text[written...]
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor.rawValue, bytes.baseAddress, bytes.count)
            }
            guard count > 0 || errno == EINTR else { throw StorageError(.write, newPath) }
            written += max(count, 0)
        }
        var status = stat()
        guard fsync(descriptor.rawValue) == 0, unsafe fstat(descriptor.rawValue, &status) == 0 else {
            throw StorageError(.write, newPath)
        }
        guard unsafe rename(newPath, ledgerPath) == 0 else { throw StorageError(.replace, ledgerPath) }
        // The new name is on the disk only when the folder is; a file system that can't do that has its own ways.
        if let folder = try? OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY) { fsync(folder.rawValue) }
        return Self.identity(of: status)
    }

    private static func bytes(of descriptor: Int32, count: Int, _ path: String) throws(StorageError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
            }
            if read == 0 { return nil }
            guard read > 0 || errno == EINTR else { throw StorageError(.read, path) }
            filled += max(read, 0)
        }
        return bytes
    }

    private static func identity(of status: stat) -> Identity {
        Identity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            seconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec)
        )
    }
}

@available(*, unavailable)
extension LedgerFolder: Sendable {}
