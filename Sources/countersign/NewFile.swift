internal import Glibc

/// A file that is written whole beside its place and then put there, so that nobody ever sees half of it.
struct NewFile: ~Copyable {
    /// Why it can't be written, in one line.
    struct Failure: Error {
        let message: String

        init(_ path: String, code: Int32 = errno) {
            message = "can't write \(path): \(unsafe String(cString: strerror(code)))"
        }

        init(isThere path: String) { message = "\(path) is there already: --force replaces it" }

        init(isNoFile path: String) { message = "\(path) is there already, and no file: it isn't replaced" }
    }

    private let path: String
    private let draft: String

    /// Writes `bytes` beside `path`, with the rights of `mode` whatever the umask is.
    init(_ path: String, mode: mode_t, bytes: Span<UInt8>) throws(Failure) {
        self.path = path
        draft = "\(path).\(getpid())"
        // What another run left behind, which had the same number.
        unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path) }
        var code: Int32 = 0
        var written = 0
        while written < bytes.count, code == 0 {
            let rest = bytes.extracting(written..<bytes.count)
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { code = errno }
            written += max(0, count)
        }
        if code == 0, fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code != 0 { throw Failure(path, code: code) }
    }

    deinit { unsafe unlink(draft) }

    /// Puts it in its place; unless `replaces`, nothing may be there.
    consuming func publish(replaces: Bool) throws(Failure) {
        if replaces, Self.isOther(path) { throw Failure(isNoFile: path) }
        // A link fails where a name is taken, and so is safe against whoever takes it in between.
        guard unsafe (replaces ? rename(draft, path) : link(draft, path)) == 0 else {
            throw errno == EEXIST ? Failure(isThere: path) : Failure(path)
        }
    }

    /// Makes the folder that a file lies in, and those above it, for their owner alone.
    static func makeFolder(of path: String) throws(Failure) {
        for (place, character) in zip(path.indices, path) where character == "/" && place != path.startIndex {
            let folder = String(path[..<place])
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Failure(folder) }
        }
    }

    /// The path from the root on, without the dots that stand for where one is.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(current) }
        let folder = unsafe String(cString: current)
        let names = path.split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." }
        return "\(folder == "/" ? "" : folder)/\(names.joined(separator: "/"))"
    }

    /// Whether something has this name.
    static func isThere(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether this name, or what it is a link to, is something else than a file, which a rename would put one in place of.
    private static func isOther(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
}
