internal import Events
internal import Glibc
internal import Rules

/// The processes whose control sockets are found where a ledger is kept (A-7b).
struct RunningProcesses {
    private static let replyBound = 64 * 1024 * 1024

    private let location: StateLocation
    /// What went wrong, a line each.
    var problems: [String] = []

    init(at location: StateLocation) {
        self.location = location
    }

    /// The answers of all of them, by process.
    mutating func ask(_ request: ControlRequest) -> [(process: Int32, reply: ControlReply)] {
        var replies: [(process: Int32, reply: ControlReply)] = []
        for path in [location.folder, location.runtimeFolder].compactMap(\.self) {
            for socket in ControlFolder(path: path).sockets {
                if let reply = ask(request, socket.path) { replies.append((socket.process, reply)) }
            }
        }
        return replies
    }

    private mutating func ask(_ request: ControlRequest, _ path: String) -> ControlReply? {
        do throws(UnixStream.Failure) {
            let stream = try UnixStream.connecting(to: path)
            if stream.send(request.line + "\n"), let text = stream.receive(limit: Self.replyBound),
                let reply = ControlReply(text: text, to: request), reply != .refused
            {
                return reply
            }
            problems.append("\(path): the process doesn't answer")
        } catch {
            switch error {
            case .refused:
                // Left behind by a process that is gone.
                unsafe unlink(path)
            case .failed(ENOENT):
                break
            case .failed(let number):
                problems.append("can't connect to \(path): \(SystemError(.connect, code: number).reason)")
            }
        }
        return nil
    }
}
