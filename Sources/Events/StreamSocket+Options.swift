internal import CEvent
internal import Glibc

extension StreamSocket {
    /// What a look at a socket shows that nobody reads from.
    package enum Peek: Equatable, Sendable {
        /// Nothing has arrived.
        case silent
        /// Bytes wait to be read.
        case bytes
        /// The other side has ended, or the connection is broken.
        case ended
    }

    /// Looks whether something waits to be read, without reading it.
    package func peek() -> Peek {
        if let cipher { return cipher.peek() }
        var byte: UInt8 = 0
        let count = unsafe recv(rawDescriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .silent : .ended
    }

    /// Whether the connection was reset, or broke otherwise, behind whatever is still to be read.
    package var isBroken: Bool {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(rawDescriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 && code != 0
    }

    /// Has the kernel throw away at most `limit` bytes that have arrived; what the loop last received may be lost with them.
    package func discard(limit: Int) -> ReadResult {
        let count = recv(rawDescriptor, nil, limit, Int32(MSG_TRUNC))
        if count > 0 { return .bytes(count) }
        if count == 0 { return .endOfFile }
        // Only TCP's are thrown away without being copied.
        if errno == EFAULT { return read(limit: limit) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .failed(SystemError(.receive))
    }

    /// Has the kernel find out by itself, within about two minutes, that the other side is gone.
    package func keepAlive() {
        setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(IPPROTO_TCP.asLevel, TCP_KEEPIDLE, 60)
        setOption(IPPROTO_TCP.asLevel, TCP_KEEPINTVL, 15)
        setOption(IPPROTO_TCP.asLevel, TCP_KEEPCNT, 4)
    }

    /// The other side's address; nil if it is no IP address or gone.
    package var peerAddress: SocketAddress? {
        let descriptor = rawDescriptor
        return unsafe SocketAddress.read { unsafe getpeername(descriptor, $0, $1) }
    }

    /// Our own address; nil if it is no IP address or gone.
    package var localAddress: SocketAddress? {
        let descriptor = rawDescriptor
        return unsafe SocketAddress.read { unsafe getsockname(descriptor, $0, $1) }
    }

    private func setOption(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(rawDescriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension Descriptor {
    /// A new TCP socket that does not block and is not inherited.
    static func streamSocket(family: Int32) throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let rawValue = socket(family, type, 0)
        guard rawValue >= 0 else { throw SystemError(.socket) }
        return Descriptor(owning: rawValue)
    }

    /// Sets an option that holds an int; false if the kernel refuses.
    @discardableResult
    borrowing func setOption(_ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
        var value = value
        return unsafe setsockopt(rawValue, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }
}

extension Int {
    /// Glibc's module gives the protocol numbers as Int.
    var asLevel: Int32 { Int32(self) }
}
