internal import Glibc

/// Loopback ports for servers whose configuration must name one.
package enum FreePort {
    // Below the ports that the kernel gives to outgoing connections (32768 and above), so that no client takes one
    // between the look and the server's bind; processes begin at places of their own.
    private static let range = 20_000..<32_000
    private static let next = Locked(range.lowerBound + Int(getpid()) &* 7919 % range.count)

    /// A port that is free now and that this process hands out only once.
    package static func reserve() throws -> UInt16 {
        for _ in range {
            let port = next.withLock { counter in
                counter = counter + 1 < range.upperBound ? counter + 1 : range.lowerBound
                return UInt16(counter)
            }
            if let socket = try? Socket.bound(port: port) {
                socket.close()
                return port
            }
        }
        throw TestFailure("no port from \(range) is free")
    }
}
