package import Bytes
internal import CEvent
internal import Glibc

/// A program that runs as a child of this process: it gets bytes, prints bytes, and has a deadline.
///
/// No shell has a part in it. It runs in a session of its own, without a terminal, with all signals as usual, and inherits
/// the environment and no descriptor; what it says on standard error is dropped, since that may hold a secret. It keeps
/// itself until it has ended. The process has to `ignoreBrokenPipes`.
@safe package final class ChildProcess {
    /// How it ended.
    package enum Ending: Equatable, Sendable {
        /// By itself, with this status.
        case exited(Int32)
        /// By a signal that isn't ours.
        case signalled(Int32)
        /// It ran longer than it might, and was killed with its process group.
        case timedOut
        /// It printed more than it might, and was killed with its process group.
        case printedTooMuch
    }

    /// Is called once, on the loop, when it has ended; `output` is wiped afterwards.
    package typealias Told = (_ ending: Ending, _ output: inout [UInt8]) -> Void

    private let loop: EventLoop
    let process: pid_t
    private let processDescriptor: Descriptor
    private var told: Told?
    private var input: [UInt8]
    private var inputCount = 0
    private var inputEnd: Descriptor?
    private var outputEnd: Descriptor?
    private var output: [UInt8]
    private var outputCount = 0
    private var inputRegistration: EventRegistration?
    private var outputRegistration: EventRegistration?
    private var endRegistration: EventRegistration?
    private var deadline: Timer?
    private var itself: ChildProcess?

    /// Starts a program and returns at once.
    ///
    /// - Parameters:
    ///   - loop: where it is watched.
    ///   - arguments: the program, by its path or to be found in PATH, and its arguments.
    ///   - input: what it reads; taken over, and wiped when that was read.
    ///   - limit: what it may print, in bytes.
    ///   - timeout: how long it may run, in nanoseconds.
    ///   - told: is called once, on the loop.
    /// - Throws: why it can't be started, such as ENOENT; nobody is told then.
    @discardableResult
    package init(
        _ loop: EventLoop,
        _ arguments: [String],
        wiping input: inout [UInt8],
        limit: Int = 64 << 10,
        timeout: Nanoseconds,
        told: @escaping Told
    ) throws(SystemError) {
        defer { Self.wipe(&input) }
        let child = try StartedChild.start(arguments)
        process = child.process
        self.loop = loop
        self.told = told
        self.input = input
        // One more than it may print shows that it printed too much.
        output = [UInt8](repeating: 0, count: limit + 1)
        processDescriptor = child.processDescriptor
        inputEnd = .some(child.inputEnd)
        outputEnd = .some(child.outputEnd)
        watch(timeout)
    }

    /// Ends it untold, with its process group.
    package func cancel() {
        guard told != nil else { return }
        told = nil
        kill()
        close()
        forget()
        endRegistration = nil
        Spawning.reap(processDescriptor.rawValue, waiting: 100)
        release()
    }

    // MARK: events

    private func watch(_ timeout: Nanoseconds) {
        itself = self
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        endRegistration = unsafe EventRegistration(
            loop,
            descriptor: processDescriptor.rawValue,
            events: EV_READ | EV_PERSIST,
            context: context,
            callback: childEnded
        )
        endRegistration?.add()
        if let descriptor = outputEnd?.rawValue {
            outputRegistration = unsafe EventRegistration(
                loop,
                descriptor: descriptor,
                events: EV_READ | EV_PERSIST,
                context: context,
                callback: childPrinted
            )
            outputRegistration?.add()
        }
        if let descriptor = inputEnd?.rawValue {
            inputRegistration = unsafe EventRegistration(
                loop,
                descriptor: descriptor,
                events: EV_WRITE | EV_PERSIST,
                context: context,
                callback: childReads
            )
            inputRegistration?.add()
        }
        deadline = Timer(loop, after: timeout) { [unowned self] in give(.timedOut) }
    }

    fileprivate func write() {
        guard let descriptor = inputEnd?.rawValue else { return }
        while inputCount < input.count {
            let count = unsafe input.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: inputCount), bytes.count - inputCount)
            }
            if count > 0 {
                inputCount += count
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // It closed its input, which is its own affair.
                break
            }
        }
        closeInput()
    }

    fileprivate func read() {
        guard let descriptor = outputEnd?.rawValue else { return }
        while outputCount < output.count {
            let count = unsafe output.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress?.advanced(by: outputCount), bytes.count - outputCount)
            }
            if count > 0 {
                outputCount += count
            } else if count < 0, errno == EAGAIN {
                return
            } else if count == 0 || errno != EINTR {
                outputRegistration = nil
                outputEnd = nil
                return
            }
        }
        give(.printedTooMuch)
    }

    fileprivate func ended() {
        // What it printed last may not have been read yet; what holds its output open behind it isn't waited for.
        read()
        guard let ending = Spawning.reap(processDescriptor.rawValue, waiting: 0) else { return }
        if told != nil { tell(ending) }
        endRegistration = nil
        release()
    }

    /// Kills it and tells so; it is taken away when the system has ended it.
    private func give(_ ending: Ending) {
        guard told != nil else { return }
        kill()
        tell(ending)
    }

    // MARK: the end

    private func tell(_ ending: Ending) {
        guard let told else { return }
        self.told = nil
        close()
        var printed = ending == .timedOut || ending == .printedTooMuch ? [] : Array(output[..<outputCount])
        forget()
        told(ending, &printed)
        Self.wipe(&printed)
    }

    private func kill() {
        // It has not been taken away yet, so its number is nobody else's.
        _ = Glibc.kill(-process, SIGKILL)
    }

    private func close() {
        deadline = nil
        closeInput()
        outputRegistration = nil
        outputEnd = nil
    }

    private func closeInput() {
        inputRegistration = nil
        inputEnd = nil
        Self.wipe(&input)
    }

    private func forget() {
        Self.wipe(&output)
    }

    /// Code of this turn may still be up the stack.
    private func release() {
        loop.keepToEndOfTurn(self)
        itself = nil
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { storage in
            if let base = storage.baseAddress { unsafe explicit_bzero(base, storage.count) }
        }
        bytes.removeAll()
    }
}

private func childEnded(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ChildProcess>.fromOpaque(context).takeUnretainedValue().ended()
}

private func childPrinted(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ChildProcess>.fromOpaque(context).takeUnretainedValue().read()
}

private func childReads(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ChildProcess>.fromOpaque(context).takeUnretainedValue().write()
}

@available(*, unavailable)
extension ChildProcess: Sendable {}
