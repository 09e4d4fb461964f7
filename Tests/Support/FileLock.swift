internal import Glibc

/// The lock of a file, held as another process would hold it, until it is released or its owner goes.
package final class FileLock {
    private let descriptor: CInt

    /// Makes the file at `path` where it isn't there, and takes its lock as soon as nobody else has it.
    package init(_ path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestFailure("can't open \(path): error \(errno)") }
        try eventually("the lock of \(path)") { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
    }

    /// Gives the lock back.
    package func release() { flock(descriptor, LOCK_UN) }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
