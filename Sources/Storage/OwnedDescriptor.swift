internal import Glibc

/// A file descriptor that is closed when its owner goes.
struct OwnedDescriptor: ~Copyable {
    let rawValue: Int32

    /// Opens `path` without following a link in its last part.
    init(opening path: String, _ flags: Int32, mode: mode_t = 0o600) throws(StorageError) {
        rawValue = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
        guard rawValue >= 0 else { throw StorageError(.open, path) }
    }

    deinit {
        // What was never opened threw, and is -1 here.
        if rawValue >= 0 { close(rawValue) }
    }
}
