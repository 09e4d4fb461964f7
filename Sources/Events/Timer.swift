package import Bytes
internal import CEvent
internal import Glibc

/// Calls a closure on its loop after a time, once or again and again, as long as it lives and is not cancelled.
package final class Timer {
    private var registration: EventRegistration?
    private let body: () -> Void

    /// Starts to wait; `repeats` says whether once or at each `interval`.
    package init(_ loop: EventLoop, after interval: Nanoseconds, repeats: Bool = false, _ body: @escaping () -> Void) {
        self.body = body
        registration = unsafe EventRegistration(
            loop,
            descriptor: -1,
            events: repeats ? EV_PERSIST : 0,
            context: Unmanaged.passUnretained(self).toOpaque(),
            callback: timerFired
        )
        registration?.add(after: interval)
    }

    /// Stops to wait for good.
    package func cancel() {
        registration = nil
    }

    fileprivate func fire() {
        body()
    }
}

private func timerFired(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Timer>.fromOpaque(context).takeUnretainedValue().fire()
}
