internal import Glibc

/// Runs `body` on a thread of its own, which nobody joins.
package func detachThread(_ body: @escaping @Sendable () -> Void) throws {
    final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, 1 << 20)
    let start = unsafe Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let error = unsafe pthread_create(
        &thread,
        &attributes,
        { argument in
            if let argument = unsafe argument {
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                start.body()
            }
            return nil
        },
        start.toOpaque()
    )
    guard error == 0 else {
        unsafe start.release()
        throw TestFailure("pthread_create: error \(error)")
    }
}

/// Runs `body` with 0 to `count - 1`, each on a thread of its own and all at once, and gives the results in that order.
///
/// The first error is thrown once all have ended; at the limit it fails, and the threads are left to end by themselves.
package func concurrently<Result: Sendable>(
    _ count: Int,
    within limit: Duration = .seconds(60),
    _ body: @escaping @Sendable (Int) throws -> Result
) throws -> [Result] {
    let results = Locked<[Int: Swift.Result<Result, any Error>]>([:])
    for index in 0..<count {
        try detachThread {
            let result = Swift.Result { try body(index) }
            results.withLock { $0[index] = result }
        }
    }
    try eventually("\(count) threads, of which \(results.withLock { $0.count }) ended", within: limit) {
        results.withLock { $0.count } == count
    }
    let ended = results.withLock { $0 }
    return try (0..<count).compactMap { try ended[$0]?.get() }
}

/// A door that the test opens, for those who wait at it.
package final class Gate: Sendable {
    private let open = Locked(false)

    /// A closed gate.
    package init() {}

    /// Lets all through, from now on.
    package func opens() {
        open.withLock { $0 = true }
    }

    /// Whether it is open.
    package var isOpen: Bool { open.withLock { $0 } }

    /// Returns once it is open, and fails at the limit.
    package func wait(within limit: Duration = .seconds(30)) throws {
        try eventually("a gate to open", within: limit) { isOpen }
    }
}
