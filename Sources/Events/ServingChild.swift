internal import CEvent
internal import Glibc

/// A child process that stays: it is told things on its standard input and answers on its standard output.
///
/// It runs in a session of its own, without a terminal, with all signals as usual, the environment that it is given and no
/// descriptor of ours; what it says on standard error is dropped. The process has to `ignoreBrokenPipes`.
@safe package final class ServingChild {
    private let loop: EventLoop
    private let process: pid_t
    private let processDescriptor: Descriptor
    private var received: ((Span<UInt8>) -> Void)?
    private var ended: (() -> Void)?
    private var outbound: [UInt8] = []
    private var inputEnd: Descriptor?
    private var outputEnd: Descriptor?
    private var inputRegistration: EventRegistration?
    private var outputRegistration: EventRegistration?

    /// Starts a program and returns at once.
    ///
    /// - Parameters:
    ///   - loop: where it is watched.
    ///   - arguments: the program, by its path or to be found in PATH, and its arguments.
    ///   - environment: all of its environment, as `NAME=VALUE`.
    ///   - received: is lent what it says.
    ///   - ended: is called once when it closed its output, for the most part since it ended; never behind `kill`.
    /// - Throws: why it can't be started, such as ENOENT.
    package init(
        _ loop: EventLoop,
        _ arguments: [String],
        environment: [String],
        received: @escaping (Span<UInt8>) -> Void,
        ended: @escaping () -> Void
    ) throws(SystemError) {
        let child = try StartedChild.start(arguments, environment: environment)
        process = child.process
        self.loop = loop
        self.received = received
        self.ended = ended
        processDescriptor = child.processDescriptor
        inputEnd = .some(child.inputEnd)
        outputEnd = .some(child.outputEnd)
        watch()
    }

    deinit {
        // Whoever drops it has no use for the process.
        if outputEnd != nil || inputEnd != nil { end() }
    }

    /// Tells it something; what it doesn't take at once waits.
    package func send(_ bytes: [UInt8]) {
        guard inputEnd != nil else { return }
        outbound += bytes
        write()
    }

    /// Ends it at once, with its process group; nobody is told.
    package func kill() {
        guard outputEnd != nil else { return }
        received = nil
        ended = nil
        end()
        loop.keepToEndOfTurn(self)
    }

    private func watch() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        if let descriptor = outputEnd?.rawValue {
            outputRegistration = unsafe EventRegistration(
                loop,
                descriptor: descriptor,
                events: EV_READ | EV_PERSIST,
                context: context,
                callback: servantSpoke
            )
            outputRegistration?.add()
        }
        if let descriptor = inputEnd?.rawValue {
            inputRegistration = unsafe EventRegistration(
                loop,
                descriptor: descriptor,
                events: EV_WRITE,
                context: context,
                callback: servantListens
            )
        }
    }

    fileprivate func write() {
        guard let descriptor = inputEnd?.rawValue else { return }
        var sent = 0
        while sent < outbound.count {
            let count = unsafe outbound.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                inputRegistration?.add()
                break
            } else if errno != EINTR {
                // It closed its input; its output ends too.
                sent = outbound.count
            }
        }
        outbound.removeFirst(sent)
    }

    fileprivate func read() {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        // It may have been killed by whom it spoke to.
        while let descriptor = outputEnd?.rawValue {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                received?(bytes.span.extracting(0..<count))
            } else if count < 0, errno == EAGAIN {
                return
            } else if count == 0 || errno != EINTR {
                let ended = ended
                kill()
                ended?()
                return
            }
        }
    }

    private func end() {
        inputRegistration = nil
        inputEnd = nil
        outputRegistration = nil
        outputEnd = nil
        // It has not been taken away yet, so its number is nobody else's.
        _ = Glibc.kill(-process, SIGKILL)
        Spawning.reap(processDescriptor.rawValue, waiting: 100)
    }
}

private func servantSpoke(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ServingChild>.fromOpaque(context).takeUnretainedValue().read()
}

private func servantListens(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ServingChild>.fromOpaque(context).takeUnretainedValue().write()
}

@available(*, unavailable)
extension ServingChild: Sendable {}
