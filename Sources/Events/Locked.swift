internal import CEvent
internal import Glibc

/// A value that threads share, behind a lock of pthreads.
///
/// It stands in for Synchronization's Mutex, whose way through a contended lock lies in the uninstrumented library, so
/// that ThreadSanitizer reports whatever was handed over under it.
@safe package final class Locked<Value: Sendable>: @unchecked Sendable {
    // Unchecked since the value is touched under the lock only.
    private var value: Value
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes a lock with this value behind it.
    package init(_ value: Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        let code = unsafe pthread_mutex_init(lock, nil)
        precondition(code == 0, "no memory for a lock")
    }

    deinit {
        _ = unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Calls `body` while no other thread has the value; `body` must not come back here.
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        _ = unsafe pthread_mutex_lock(lock)
        defer { _ = unsafe pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
