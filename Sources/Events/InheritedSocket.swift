internal import CEvent
internal import Glibc

/// A listening socket that whoever started this process has passed on [sd_listen_fds(3)]: one for all loops.
package final class InheritedSocket: Sendable {
    /// Its name in LISTEN_FDNAMES; several may have the same.
    package let name: String
    /// Where it listens; nil for a unix socket.
    package let address: SocketAddress?
    private let descriptor: Locked<Int32?>

    private init(name: String, descriptor: Int32) {
        self.name = name
        address = unsafe SocketAddress.read { unsafe getsockname(descriptor, $0, $1) }
        self.descriptor = Locked(descriptor)
    }

    deinit {
        if let left = descriptor.withLock({ $0 }) { close(left) }
    }

    /// The socket; nil when it has been taken.
    package func take() -> Descriptor? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        .map { Descriptor(owning: $0) }
    }

    private static let firstDescriptor: Int32 = 3
    private static let bound: Int32 = 1024

    /// Takes all that were passed on to this very process, and takes them out of the environment, so that no child
    /// believes that it has them. What doesn't listen for streams is closed.
    ///
    /// To be called once, before there are other threads, which might read the environment meanwhile.
    package static func takeAll() -> [InheritedSocket] {
        defer {
            for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"] { unsafe unsetenv(name) }
        }
        guard variable("LISTEN_PID").flatMap({ Int32($0) }) == getpid() else { return [] }
        guard let count = variable("LISTEN_FDS").flatMap({ Int32($0) }), (1...bound).contains(count) else { return [] }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).compactMap { index in
            let descriptor = firstDescriptor + index
            guard prepare(descriptor) else {
                close(descriptor)
                return nil
            }
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            return InheritedSocket(name: name.isEmpty ? "unknown" : name, descriptor: descriptor)
        }
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Makes it a socket as our own are; false where it is none that listens for streams.
    private static func prepare(_ descriptor: Int32) -> Bool {
        guard option(descriptor, SO_TYPE) == Int32(SOCK_STREAM.rawValue), option(descriptor, SO_ACCEPTCONN) == 1 else {
            return false
        }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { return false }
        var on: Int32 = 1
        // Inherited by what is accepted; a unix socket has no use for it.
        _ = unsafe setsockopt(
            descriptor,
            IPPROTO_TCP.asLevel,
            TCP_NODELAY,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
        return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    private static func option(_ descriptor: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
