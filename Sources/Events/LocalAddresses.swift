package import Bytes
internal import CEvent
internal import Glibc

/// The machine's own addresses.
package enum LocalAddresses {
    /// Those of all interfaces now; empty where they can't be told.
    package static func all() -> Set<IPAddress> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var addresses: Set<IPAddress> = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ifa_addr.flatMap({ unsafe address(at: $0) }) {
                addresses.insert(address)
            }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }

    private static func address(at pointer: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
        let size =
            switch unsafe Int32(pointer.pointee.sa_family) {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: 0
            }
        guard size > 0 else { return nil }
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: size))
        }
        return SocketAddress(storage)?.address.unmapped
    }
}
