internal import Events
internal import Glibc

/// A stream socket of this machine's own kind, used by a thread that may block, within time limits.
struct UnixStream: ~Copyable {
    /// How long the other side may take, for each step and for all of what is received.
    private static let seconds = 2

    private let descriptor: Descriptor

    /// What stands in the way of a connection.
    enum Failure: Error {
        /// Nobody listens there any more.
        case refused
        /// Anything else, such as no right to it.
        case failed(Int32)
    }

    /// Takes over a socket.
    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
        limit()
    }

    /// Connects to the socket at `path`.
    static func connecting(to path: String) throws(Failure) -> UnixStream {
        guard let descriptor = socket() else { throw .failed(errno) }
        // The limit on time bounds the connecting too: a process that has stopped may have a full queue.
        let stream = UnixStream(descriptor)
        let number = stream.descriptor.rawValue
        let status = unsafe withAddress(path) { address, length in
            unsafe connect(number, address, length) == 0 ? 0 : errno
        }
        switch status {
        case 0?: return stream
        case ECONNREFUSED?: throw .refused
        case let status?: throw .failed(status)
        case nil: throw .failed(ENAMETOOLONG)
        }
    }

    static func socket() -> Descriptor? {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = Glibc.socket(AF_UNIX, Int32(kind), 0)
        return descriptor < 0 ? nil : Descriptor(owning: descriptor)
    }

    private func limit() {
        var limit = timeval(tv_sec: Self.seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, option, &limit, size)
        }
    }

    /// Sends all of `text`; false where the other side is gone or the time is up.
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let rest = bytes[sent...]
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.send(descriptor.rawValue, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else { return false }
            sent += max(count, 0)
        }
        return true
    }

    /// Receives up to the end, at most `limit` bytes; nil where that fails.
    func receive(limit: Int) -> String? {
        let end = time(nil) + Self.seconds
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while received.count < limit, time(nil) <= end {
            let count = unsafe recv(descriptor.rawValue, &buffer, buffer.count, 0)
            if count == 0 { return String(validating: received, as: UTF8.self) }
            guard count > 0 || errno == EINTR else { return nil }
            received += buffer.prefix(max(count, 0))
        }
        return nil
    }

    /// Lends the address of `path` to `body`; nil where it is too long for one.
    static func withAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // One byte is left for the end.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
                unsafe body(rebound, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
