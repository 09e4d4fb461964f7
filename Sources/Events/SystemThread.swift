internal import CEvent
internal import Glibc

/// A thread of the system that can be waited for.
package final class SystemThread: Sendable {
    private let handle: Locked<pthread_t?>

    /// Starts `body` on a new thread; `name` shows in ps and top, cut to 15 bytes.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var created = pthread_t()
        let code = unsafe pthread_create(&created, nil, runThread, start.toOpaque())
        guard code == 0 else {
            unsafe start.release()
            throw SystemError(.thread, code: code)
        }
        handle = Locked(created)
    }

    deinit {
        // Not waited for: let its end free it.
        if let handle = handle.withLock({ $0.take() }) { pthread_detach(handle) }
    }

    /// Waits until the body has returned.
    package func join() {
        guard let handle = handle.withLock({ $0.take() }) else { return }
        _ = pthread_join(handle, nil)
    }

    /// Holds up the calling thread, which must be no loop's.
    package static func sleep(_ length: UInt64) {
        var time = timespec(tv_sec: Int(length / 1_000_000_000), tv_nsec: Int(length % 1_000_000_000))
        var rest = timespec()
        while unsafe nanosleep(&time, &rest) != 0 && errno == EINTR { time = rest }
    }

    fileprivate final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<SystemThread.Start>.fromOpaque(context).takeRetainedValue()
    _ = unsafe String(start.name.prefix(15)).withCString { unsafe pthread_setname_np(pthread_self(), $0) }
    start.body()
    return nil
}
