internal import Events
internal import Glibc

/// One who connected to the control socket: a line comes, the answer goes, and neither blocks.
final class ControlConversation {
    private static let lineBound = 64 * 1024
    private static let limitMilliseconds: Int64 = 2000

    private let descriptor: Descriptor
    private var received: [UInt8] = []
    private var outgoing: ArraySlice<UInt8>?
    private var end: Int64
    /// The answer went out, or the other side said nothing that has one.
    private(set) var isOver = false

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
        end = Self.now + Self.limitMilliseconds
    }

    /// What `poll` is to wait for.
    var wanted: pollfd {
        pollfd(fd: descriptor.rawValue, events: Int16(outgoing == nil ? POLLIN : POLLOUT), revents: 0)
    }

    /// How many milliseconds are left, of those for the line or those for the answer.
    var remaining: Int32 { Int32(max(0, end - Self.now)) }

    /// Takes or gives what can be; `reply` answers the line.
    func goOn(_ reply: (String) -> ControlReply) {
        if outgoing == nil { receive(reply) }
        if outgoing != nil { send() }
    }

    private func receive(_ reply: (String) -> ControlReply) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor.rawValue, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            isOver = count == 0 || !Self.isTransient
            return
        }
        received += buffer.prefix(count)
        guard let lineEnd = received.firstIndex(of: UInt8(ascii: "\n")) else {
            isOver = received.count >= Self.lineBound
            return
        }
        guard let line = String(validating: received[..<lineEnd], as: UTF8.self) else {
            isOver = true
            return
        }
        outgoing = Array(reply(line).text.utf8)[...]
        end = Self.now + Self.limitMilliseconds
    }

    private func send() {
        guard let bytes = outgoing else { return }
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(descriptor.rawValue, buffer.baseAddress, buffer.count, flags)
        }
        if count > 0 { outgoing = bytes.dropFirst(count) }
        isOver = count > 0 ? outgoing?.isEmpty == true : !Self.isTransient
    }

    private static var isTransient: Bool { errno == EAGAIN || errno == EINTR }

    private static var now: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
