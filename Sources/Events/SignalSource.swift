internal import CEvent
internal import Glibc

/// Signals of the process, told on one loop.
package final class SignalSource {
    /// The signals that can be waited for.
    package enum Signal: Sendable {
        case hangup, interrupt, terminate

        var number: Int32 {
            switch self {
            case .hangup: SIGHUP
            case .interrupt: SIGINT
            case .terminate: SIGTERM
            }
        }

        fileprivate init?(number: Int32) {
            switch number {
            case SIGHUP: self = .hangup
            case SIGINT: self = .interrupt
            case SIGTERM: self = .terminate
            default: return nil
            }
        }
    }

    private let descriptor: Descriptor
    private let body: (_ signal: Signal, _ isFromKernel: Bool) -> Void
    private var registration: EventRegistration?

    /// Tells `body` of each of `signals` as long as it lives; they have to be `block`ed.
    package convenience init(
        _ loop: EventLoop,
        _ signals: [Signal],
        _ body: @escaping (Signal) -> Void
    ) throws(SystemError) {
        try self.init(loop, signals) { (signal: Signal, _: Bool) in body(signal) }
    }

    /// Tells `body` also whether the kernel sent it, as for a key at the terminal, and so to the whole process group.
    package init(
        _ loop: EventLoop,
        _ signals: [Signal],
        _ body: @escaping (_ signal: Signal, _ isFromKernel: Bool) -> Void
    ) throws(SystemError) {
        var set = Self.set(of: signals)
        let rawValue = unsafe signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard rawValue >= 0 else { throw SystemError(.signalfd) }
        descriptor = Descriptor(owning: rawValue)
        self.body = body
        registration = unsafe EventRegistration(
            loop,
            descriptor: rawValue,
            events: EV_READ | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque(),
            callback: signalArrived
        )
        registration?.add()
    }

    /// Keeps `signals` from their usual effect in the calling thread and those it starts; so before any is started.
    package static func block(_ signals: [Signal]) {
        var set = set(of: signals)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static func set(of signals: [Signal]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { _ = unsafe sigaddset(&set, signal.number) }
        return set
    }

    fileprivate func arrived() {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(descriptor.rawValue, &information, size) == size {
            guard let signal = Signal(number: Int32(information.ssi_signo)) else { continue }
            // SI_KERNEL, which Glibc's module lacks.
            body(signal, information.ssi_code == 0x80)
        }
    }
}

private func signalArrived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SignalSource>.fromOpaque(context).takeUnretainedValue().arrived()
}
