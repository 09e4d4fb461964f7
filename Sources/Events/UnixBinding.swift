internal import CEvent
internal import Glibc

/// A unix socket in the file system that listens: one for all loops, whose connections are handed out.
package final class UnixBinding: Sendable {
    /// Where it listens.
    package let path: String
    private let descriptor: Locked<Int32?>
    /// Tells our file from another that has come to stand in its place.
    private let identity: FileIdentity?

    private struct FileIdentity: Equatable {
        let device: dev_t
        let inode: ino_t
        /// Numbers of files are used again at once.
        let changed: [Int]
    }

    /// Binds and listens at `path` with these permissions, and the group where one is given.
    ///
    /// Takes the place of what a dead process left; fails with "address in use" where somebody listens there.
    package init(
        path: String,
        permissions: UInt16,
        group: UInt32?,
        backlog: Int32 = 4096
    ) throws(SystemError) {
        self.path = path
        // Of two that start at once, the one must not take the other's, which doesn't listen yet, for a dead one's.
        let lock = Self.lockFolder(of: path)
        let socket = try Self.bind(path)
        // Nobody can connect before it listens, so nobody comes in under other permissions.
        let isOurs = group.map { unsafe chown(path, uid_t.max, $0) } ?? 0
        guard isOurs == 0, unsafe chmod(path, mode_t(permissions)) == 0, listen(socket.rawValue, backlog) == 0 else {
            let error = SystemError(.listen)
            unsafe unlink(path)
            throw error
        }
        identity = Self.identity(of: path)
        descriptor = Locked(socket.release())
        _ = consume lock
    }

    deinit {
        remove()
        if let left = descriptor.withLock({ $0 }) { close(left) }
    }

    /// The socket; nil when it has been taken.
    package func take() -> Descriptor? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        .map { Descriptor(owning: $0) }
    }

    /// Takes the file away, unless it is another's by now.
    package func remove() {
        guard let identity, identity == Self.identity(of: path) else { return }
        unsafe unlink(path)
    }

    private static func bind(_ path: String) throws(SystemError) -> Descriptor {
        let socket = try makeSocket()
        if try isLeftBehind(path) { unsafe unlink(path) }
        let rawValue = socket.rawValue
        guard unsafe try withAddress(path, { unsafe Glibc.bind(rawValue, $0, $1) }) == 0 else {
            throw SystemError(.bind)
        }
        return socket
    }

    private static func makeSocket() throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let rawValue = socket(AF_UNIX, type, 0)
        guard rawValue >= 0 else { throw SystemError(.socket) }
        return Descriptor(owning: rawValue)
    }

    /// Whether a socket stands there that nobody listens on any more.
    private static func isLeftBehind(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let probe = try makeSocket()
        let rawValue = probe.rawValue
        let result = unsafe try withAddress(path) { unsafe connect(rawValue, $0, $1) }
        return result != 0 && errno == ECONNREFUSED
    }

    private static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return FileIdentity(
            device: status.st_dev,
            inode: status.st_ino,
            changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        )
    }

    /// Keeps other instances from the folder while held; without the lock where somebody else has it.
    private static func lockFolder(of path: String) -> Descriptor? {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let rawValue = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard rawValue >= 0 else { return nil }
        let descriptor = Descriptor(owning: rawValue)
        // Whoever holds it binds a socket, which takes no longer than this.
        for _ in 0..<50 where flock(rawValue, LOCK_EX | LOCK_NB) != 0 { usleep(10_000) }
        return descriptor
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // One byte is left for the end.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.isEmpty else {
            throw SystemError(.bind, code: ENAMETOOLONG)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
