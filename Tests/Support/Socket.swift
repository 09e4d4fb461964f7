internal import CGNU
internal import Glibc

/// A TCP socket on loopback whose every operation ends by a deadline.
///
/// Another thread may only `shutdown` it; the one that reads or writes closes it.
final class Socket: Sendable {
    /// How reading or writing ended.
    enum Ended: Error {
        case reset
    }

    private let descriptor: Locked<CInt>

    private init(descriptor: CInt) {
        self.descriptor = Locked(descriptor)
        var on: CInt = 1
        unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit { close() }

    private static func make(type: CInt = CInt(SOCK_STREAM.rawValue), family: CInt = AF_INET) throws -> CInt {
        let flags = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type | flags, 0)
        guard descriptor >= 0 else { throw TestFailure("socket: \(systemError())") }
        return descriptor
    }

    private static func withLoopback<Result>(
        _ port: UInt16,
        _ address: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        var inet = sockaddr_in()
        inet.sin_family = sa_family_t(AF_INET)
        inet.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, address, &inet.sin_addr)
        return try unsafe withUnsafePointer(to: &inet) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Bound to `port` of 127.0.0.1, or to one that the kernel picks for 0.
    static func bound(port: UInt16) throws -> Socket {
        let socket = Socket(descriptor: try make())
        let result = unsafe withLoopback(port, "127.0.0.1") { unsafe bind(socket.raw, $0, $1) }
        guard result == 0 else { throw TestFailure("bind 127.0.0.1:\(port): \(systemError())") }
        return socket
    }

    /// Listening on `port` of 127.0.0.1.
    static func listening(port: UInt16 = 0, backlog: CInt = 4096) throws -> Socket {
        let socket = try bound(port: port)
        guard listen(socket.raw, backlog) == 0 else { throw TestFailure("listen: \(systemError())") }
        return socket
    }

    /// On its way to `port` of 127.0.0.1, whether or not it gets there.
    static func connecting(port: UInt16) throws -> Socket {
        let socket = Socket(descriptor: try make())
        let result = unsafe withLoopback(port, "127.0.0.1") { unsafe Glibc.connect(socket.raw, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else { throw TestFailure("connect: \(systemError())") }
        return socket
    }

    /// Connected to `port` of a loopback address, from another where `source` names one; `receiveBuffer` is the kernel's,
    /// in bytes.
    static func connected(
        port: UInt16,
        address: String = "127.0.0.1",
        source: String? = nil,
        receiveBuffer: Int? = nil,
        by deadline: Deadline
    ) throws -> Socket {
        let socket = Socket(descriptor: try make())
        if let receiveBuffer {
            var size = CInt(receiveBuffer)
            unsafe setsockopt(socket.raw, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        if let source, unsafe withLoopback(0, source, { unsafe bind(socket.raw, $0, $1) }) != 0 {
            throw TestFailure("bind \(source): \(systemError())")
        }
        let result = unsafe withLoopback(port, address) { unsafe Glibc.connect(socket.raw, $0, $1) }
        if result != 0 {
            guard errno == EINPROGRESS else { throw TestFailure("connect to \(address):\(port): \(systemError())") }
            guard try socket.wait(for: POLLOUT, by: deadline) else {
                throw deadline.failure(waitingFor: "a connection to \(address):\(port)")
            }
            var error: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            unsafe getsockopt(socket.raw, SOL_SOCKET, SO_ERROR, &error, &length)
            guard error == 0 else { throw TestFailure("connect to \(address):\(port): \(systemError(error))") }
        }
        return socket
    }

    private var raw: CInt { descriptor.withLock { $0 } }

    /// The local port.
    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(raw, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Whether `events` came before the deadline.
    func wait(for events: CInt, by deadline: Deadline) throws -> Bool {
        var entry = pollfd(fd: raw, events: Int16(events), revents: 0)
        while true {
            let count = unsafe poll(&entry, 1, deadline.milliseconds)
            if count > 0 { return true }
            if count == 0, deadline.hasPassed { return false }
            if count < 0, errno != EINTR { throw TestFailure("poll: \(systemError())") }
        }
    }

    /// The next connection, or nil when the deadline passed or the socket was shut down.
    func accept(by deadline: Deadline) throws -> Socket? {
        guard try wait(for: POLLIN, by: deadline) else { return nil }
        let flags = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let accepted = accept4(raw, nil, nil, flags)
        return accepted >= 0 ? Socket(descriptor: accepted) : nil
    }

    /// Appends up to 64 KiB to `buffer` and gives their number: 0 at the end of the stream.
    func read(into buffer: inout [UInt8], by deadline: Deadline, waitingFor what: String) throws -> Int {
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe part.withUnsafeMutableBytes { unsafe recv(raw, $0.baseAddress, $0.count, 0) }
            if count >= 0 {
                buffer += part[..<count]
                return count
            }
            switch errno {
            case EAGAIN:
                guard try wait(for: POLLIN, by: deadline) else { throw deadline.failure(waitingFor: what) }
            case EINTR: continue
            case ECONNRESET, EPIPE: throw Ended.reset
            default: throw TestFailure("recv: \(systemError())")
            }
        }
    }

    /// Drops up to `limit` bytes where they are, in the kernel, and gives their number: 0 at the end of the stream.
    func drop(_ limit: Int, by deadline: Deadline) throws -> Int {
        while true {
            // Without a buffer the kernel throws away what it would have copied [tcp(7)].
            let count = recv(raw, nil, limit, CInt(MSG_TRUNC))
            if count >= 0 { return count }
            switch errno {
            case EAGAIN:
                guard try wait(for: POLLIN, by: deadline) else { throw deadline.failure(waitingFor: "\(limit) bytes") }
            case EINTR: continue
            case ECONNRESET, EPIPE: throw Ended.reset
            default: throw TestFailure("recv: \(systemError())")
            }
        }
    }

    /// Sends all of `bytes`.
    func write(_ bytes: [UInt8], by deadline: Deadline) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(raw, $0.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
                continue
            }
            switch errno {
            case EAGAIN:
                guard try wait(for: POLLOUT, by: deadline) else {
                    throw deadline.failure(
                        waitingFor: "the peer to take \(bytes.count) bytes, of which it took \(sent)"
                    )
                }
            case EINTR: continue
            case ECONNRESET, EPIPE: throw Ended.reset
            default: throw TestFailure("send: \(systemError())")
            }
        }
    }

    /// Sends the end of the stream; reading goes on.
    func finishSending() { Glibc.shutdown(raw, CInt(SHUT_WR)) }

    /// Ends both directions, which wakes a thread that waits on it; with `reset` the peer sees a reset, and at once.
    func shutdown(reset: Bool = false) {
        // Under the lock, so that the number can't be another socket's by now.
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            if reset {
                // What connecting to no address does to a connection [connect(2)].
                var none = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: sockaddr().sa_data)
                unsafe Glibc.connect(descriptor, &none, socklen_t(MemoryLayout<sockaddr>.size))
            } else {
                Glibc.shutdown(descriptor, CInt(SHUT_RDWR))
            }
        }
    }

    /// Closes it; with `reset` the peer sees a reset in place of an end.
    func close(reset: Bool = false) {
        let old = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard old >= 0 else { return }
        if reset {
            var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(old, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        }
        Glibc.close(old)
    }
}
