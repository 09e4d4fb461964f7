/// The threads of the workers, each with a loop of its own.
package final class EventLoopGroup: Sendable {
    private let threads: [SystemThread]

    /// Starts `count` threads. Each makes its loop and calls `body` with it and its index; the thread ends with `body`,
    /// which therefore calls `run`.
    package init(
        count: Int,
        name: String,
        _ body: @escaping @Sendable (Int, EventLoop) -> Void,
        failed: @escaping @Sendable (SystemError) -> Void
    ) throws(SystemError) {
        var threads: [SystemThread] = []
        for index in 0..<count {
            let thread = try SystemThread("\(name)-\(index)") {
                do throws(SystemError) {
                    body(index, try EventLoop())
                } catch {
                    failed(error)
                }
            }
            threads.append(thread)
        }
        self.threads = threads
    }

    /// Waits until all threads have ended.
    package func join() {
        for thread in threads { thread.join() }
    }
}
