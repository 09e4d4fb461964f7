internal import Bytes
internal import Events
internal import Glibc

/// The socket on which the operator's commands reach a running process (A-7b): `control-PID.sock` beside the ledger,
/// for its owner alone.
///
/// It is served by a thread of its own, all who connect at once and each within a time limit, so that nobody who says
/// nothing keeps another waiting.
package final class ControlSocket: Sendable {
    private static let backlog: Int32 = 64
    /// Of more who are connected, the one that came first is left.
    private static let conversationBound = 64

    private let ledger: SharedLedger
    private let path: String
    private let listener: Descriptor
    private let signal: LaneSignal
    private let thread = Locked<SystemThread?>(nil)
    private let source = Locked<StatusSource?>(nil)

    /// Opens the socket of this process in the ledger's control folder; with a warning and nil where there is none, or
    /// where it can't be made. `close` ends it.
    package static func open(for ledger: SharedLedger, warn: (String) -> Void) -> ControlSocket? {
        guard let folder = ledger.controlFolder else {
            warn("there is no folder for a control socket: `countersign release` can't reach this process")
            return nil
        }
        do throws(ControlSocketError) {
            return try ControlSocket(in: folder, ledger)
        } catch {
            warn("\(error.message): `countersign release` can't reach this process")
            return nil
        }
    }

    private init(in folder: String, _ ledger: SharedLedger) throws(ControlSocketError) {
        self.ledger = ledger
        path = "\(folder)/\(ControlFolder.prefix)\(getpid())\(ControlFolder.suffix)"
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw ControlSocketError(path: folder, number: errno)
        }
        ControlFolder(path: folder).removeStale()
        listener = try Self.listen(at: path)
        do {
            signal = try LaneSignal()
            let thread = try SystemThread("control") { [self] in
                LaneSignal.blockSignals()
                serve()
            }
            self.thread.withLock { $0 = thread }
        } catch {
            unsafe unlink(path)
            throw ControlSocketError(path: path, number: error.code)
        }
    }

    /// Tells who asks for it of the process as a whole from now on; before, it is `starting`.
    func tell(of source: StatusSource) { self.source.withLock { $0 = source } }

    /// Removes the socket and ends its thread.
    package func close() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        unsafe unlink(path)
        signal.stop()
        thread.join()
    }

    /// Listens under another name first, so that whoever finds the right one can connect.
    private static func listen(at path: String) throws(ControlSocketError) -> Descriptor {
        let newPath = path + ".new"
        unsafe unlink(newPath)
        guard let listener = UnixStream.socket() else { throw ControlSocketError(path: path, number: errno) }
        let number = listener.rawValue
        let isBound = unsafe UnixStream.withAddress(newPath) { address, length in
            unsafe bind(number, address, length) == 0
        }
        guard let isBound else { throw ControlSocketError(path: newPath, number: ENAMETOOLONG) }
        guard isBound, unsafe chmod(newPath, 0o600) == 0, Glibc.listen(number, backlog) == 0,
            unsafe rename(newPath, path) == 0
        else {
            let error = ControlSocketError(path: newPath, number: errno)
            unsafe unlink(newPath)
            throw error
        }
        return listener
    }

    // MARK: The thread

    private func serve() {
        var conversations: [ControlConversation] = []
        while !signal.isStopping {
            var events = [
                pollfd(fd: listener.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            for conversation in conversations { events.append(conversation.wanted) }
            let wait = conversations.map { $0.remaining }.min() ?? -1
            _ = unsafe poll(&events, nfds_t(events.count), wait)
            if events[1].revents != 0 { signal.take() }
            for (conversation, event) in zip(conversations, events[2...]) where event.revents != 0 {
                conversation.goOn(reply)
            }
            conversations.removeAll { $0.isOver || $0.remaining == 0 }
            if events[0].revents != 0 { accept(into: &conversations) }
        }
    }

    private func accept(into conversations: inout [ControlConversation]) {
        let accepted = Glibc.accept(listener.rawValue, nil, nil)
        guard accepted >= 0 else {
            // Out of descriptors, most likely: it stays readable, so a pause.
            usleep(100_000)
            return
        }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        if conversations.count >= Self.conversationBound { conversations.removeFirst() }
        conversations.append(ControlConversation(Descriptor(owning: accepted)))
    }

    private func reply(to line: String) -> ControlReply {
        switch ControlRequest(line: line[...]) {
        case .credentials: .credentials(ledger.report())
        case .release(let name): .released(isKnown: ledger.release(name: name))
        case .phase: .status(source.withLock { $0 }?.readiness.snapshot.phase ?? .starting, lines: [])
        case .status(let isJSON): status(isJSON: isJSON)
        case nil: .refused
        }
    }

    private func status(isJSON: Bool) -> ControlReply {
        guard let source = source.withLock({ $0 }) else { return .status(.starting, lines: []) }
        let report = source.report()
        guard isJSON else { return .status(report.readiness.phase, lines: report.lines) }
        return .status(
            report.readiness.phase,
            lines: [String(report.json.readable.extracting(..<(report.json.count - 1)))]
        )
    }
}

/// Why there is no control socket.
struct ControlSocketError: Error {
    let path: String
    let number: Int32

    var message: String {
        "can't listen at \(path): \(SystemError(.bind, code: number).reason)"
    }
}
