internal import Bytes
internal import CEvent
internal import Glibc

/// The process at the other end of a unix socket, as it was when it connected [unix(7)].
package struct PeerCredentials: Equatable, Sendable {
    /// The user.
    package let user: UInt32
    /// The group, and behind it the supplementary ones.
    package let groups: [UInt32]
}

extension Descriptor {
    /// Who is at the other end of a unix socket; nil for other sockets.
    package borrowing func peerCredentials() -> PeerCredentials? {
        // pid, uid and gid, as ucred has them, which the module shows to _GNU_SOURCE only.
        var values: [UInt32] = [0, 0, 0]
        var length = socklen_t(values.count * MemoryLayout<UInt32>.size)
        guard unsafe getsockopt(rawValue, SOL_SOCKET, SO_PEERCRED, &values, &length) == 0, values[0] != 0 else {
            return nil
        }
        return PeerCredentials(user: values[1], groups: [values[2]] + supplementaryGroups())
    }

    private borrowing func supplementaryGroups() -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 64)
        for _ in 0..<2 {
            var length = socklen_t(groups.count * MemoryLayout<UInt32>.size)
            let result = unsafe getsockopt(rawValue, SOL_SOCKET, SO_PEERGROUPS, &groups, &length)
            let count = Int(length) / MemoryLayout<UInt32>.size
            if result == 0 { return Array(groups.prefix(count)) }
            // The length that it would take is told.
            guard errno == ERANGE else { return [] }
            groups = [UInt32](repeating: 0, count: count)
        }
        return []
    }

    /// The address that it was accepted at; nil for other than IP.
    package borrowing func localAddress() -> SocketAddress? {
        let rawValue = rawValue
        return unsafe SocketAddress.read { unsafe getsockname(rawValue, $0, $1) }
    }
}

extension StreamSocket {
    /// Where a connection that the kernel redirected was going; nil where it wasn't redirected.
    package var originalDestination: SocketAddress? {
        // linux/netfilter_ipv4.h and linux/netfilter_ipv6/ip6_tables.h: the one number for both.
        let originalDestination: Int32 = 80
        let descriptor = rawDescriptor
        for level in [IPPROTO_IP.asLevel, IPPROTO_IPV6.asLevel] {
            let asked = unsafe SocketAddress.read { unsafe getsockopt(descriptor, level, originalDestination, $0, $1) }
            // Connection tracking remembers those too that came on their own.
            if let asked { return asked == localAddress ? nil : asked }
        }
        return nil
    }
}
