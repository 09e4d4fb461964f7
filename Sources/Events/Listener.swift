internal import Bytes
internal import CEvent
internal import Glibc

/// Told of new connections, on the listener's loop.
package protocol ListenerObserver: AnyObject {
    /// A connection has come from `peer`, which is nil for other than IP; the descriptor doesn't block.
    func accepted(_ descriptor: consuming Descriptor, from peer: SocketAddress?, by listener: Listener)
    /// Descriptors or memory are used up; the listener tries again by itself.
    func acceptFailed(_ error: SystemError, by listener: Listener)
}

/// A listening socket on a loop.
package final class Listener {
    /// How long accepting rests when descriptors are used up.
    private static let restLength: Nanoseconds = .milliseconds(100)
    /// The most connections taken in one turn, so that those that are there get their turn too.
    private static let largestQuota = 64

    private let loop: EventLoop
    private var observer: (any ListenerObserver)?
    private var descriptor: Descriptor?
    private var registration: EventRegistration?
    private var restTimer: Timer?
    private var isPaused = false
    private var isWatched = false
    /// How many are accepted at a time: one, to save the call that finds nothing, and more while more were waiting.
    private var quota = 1

    /// Starts to accept from a listening socket; holds the observer until `close`.
    package init(_ loop: EventLoop, _ descriptor: consuming Descriptor, observer: any ListenerObserver) {
        self.loop = loop
        self.observer = observer
        registration = unsafe EventRegistration(
            loop,
            descriptor: descriptor.rawValue,
            events: EV_READ | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque(),
            callback: connectionArrived
        )
        self.descriptor = consume descriptor
        watch()
    }

    /// Leaves new connections in the kernel's queue until `resume`.
    package func pause() {
        isPaused = true
        unwatch()
    }

    /// Accepts again.
    package func resume() {
        isPaused = false
        if restTimer == nil { watch() }
    }

    /// Accepts what has already come, though paused, and then closes.
    package func close() {
        // At most a full backlog; the kernel resets what comes later still.
        var left = 4096
        while left > 0, descriptor != nil, accept() == .taken { left -= 1 }
        restTimer?.cancel()
        restTimer = nil
        registration = nil
        descriptor = nil
        if let observer { loop.keepToEndOfTurn(observer) }
        loop.keepToEndOfTurn(self)
        observer = nil
    }

    fileprivate func arrived() {
        var left = quota
        while left > 0, !isPaused, descriptor != nil {
            switch accept() {
            case .taken: left -= 1
            case .nothing:
                quota = 1
                return
            case .exhausted:
                rest()
                return
            }
        }
        quota = min(quota * 2, Self.largestQuota)
    }

    private enum Outcome { case taken, nothing, exhausted }

    private func accept() -> Outcome {
        guard let listening = descriptor?.rawValue else { return .nothing }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let accepted = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept4(listening, $0, &length, flags)
            }
        }
        if accepted >= 0 {
            observer?.accepted(Descriptor(owning: accepted), from: SocketAddress(storage), by: self)
            return .taken
        }
        let error = SystemError(.accept)
        if error.isExhaustion {
            observer?.acceptFailed(error, by: self)
            return .exhausted
        }
        // Anything else concerns the one connection [accept(2)] and is over with it.
        return error.code == EAGAIN ? .nothing : .taken
    }

    /// The queue stays readable, so accepting rests, or the loop would spin.
    private func rest() {
        unwatch()
        restTimer = Timer(loop, after: Self.restLength) { [unowned self] in
            restTimer = nil
            if !isPaused { watch() }
        }
    }

    private func watch() {
        guard !isWatched else { return }
        registration?.add()
        isWatched = true
    }

    private func unwatch() {
        guard isWatched else { return }
        registration?.remove()
        isWatched = false
    }
}

private func connectionArrived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().arrived()
}
