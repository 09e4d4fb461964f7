internal import Bytes
internal import CEvent
internal import Glibc

/// A TCP port that several loops listen on, each with a socket of its own between which the kernel spreads connections.
///
/// The sockets listen from the start, so connections wait in them until the loops run.
package final class PortBinding: Sendable {
    /// Where it listens, with the port that the kernel chose if 0 was asked for.
    package let address: SocketAddress
    private let descriptors: Locked<[Int32]>

    /// Binds `count` sockets; fails with "address in use" where another process, even one of ours, has the port.
    package init(_ wanted: SocketAddress, count: Int, backlog: Int32 = 4096) throws(SystemError) {
        // Bound without SO_REUSEPORT, since with it a second instance would quietly share the port.
        let first = try Self.bind(wanted, sharing: false)
        first.setOption(SOL_SOCKET, SO_REUSEPORT, 1)
        let rawValue = first.rawValue
        guard let address = unsafe SocketAddress.read({ unsafe getsockname(rawValue, $0, $1) }) else {
            throw SystemError(.getsockname)
        }
        self.address = SocketAddress(wanted.address, port: address.port)
        var opened = [try Self.listen(first, backlog)]
        do throws(SystemError) {
            while opened.count < count {
                opened.append(try Self.listen(Self.bind(self.address, sharing: true), backlog))
            }
        } catch {
            for descriptor in opened { close(descriptor) }
            throw error
        }
        descriptors = Locked(opened)
    }

    deinit {
        for descriptor in descriptors.withLock({ $0 }) { close(descriptor) }
    }

    /// The socket for one more loop; nil when all have been taken.
    package func take() -> Descriptor? {
        descriptors.withLock { $0.popLast() }.map { Descriptor(owning: $0) }
    }

    private static func bind(_ address: SocketAddress, sharing: Bool) throws(SystemError) -> Descriptor {
        let descriptor = try Descriptor.streamSocket(family: address.family)
        descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        if sharing { descriptor.setOption(SOL_SOCKET, SO_REUSEPORT, 1) }
        // Inherited by what is accepted, which saves a call for each connection.
        descriptor.setOption(IPPROTO_TCP.asLevel, TCP_NODELAY, 1)
        // So that 0.0.0.0 and :: can both be listed with one port.
        if address.address.family == .v6 { descriptor.setOption(IPPROTO_IPV6.asLevel, IPV6_V6ONLY, 1) }
        let rawValue = descriptor.rawValue
        let result = unsafe address.withKernelForm { unsafe Glibc.bind(rawValue, $0, $1) }
        guard result == 0 else { throw SystemError(.bind) }
        return descriptor
    }

    private static func listen(_ descriptor: consuming Descriptor, _ backlog: Int32) throws(SystemError) -> Int32 {
        guard Glibc.listen(descriptor.rawValue, backlog) == 0 else { throw SystemError(.listen) }
        return descriptor.release()
    }
}
