internal import Glibc

/// What `myIpAddress` tells: the address that this machine goes out by.
enum OwnAddress {
    /// The address now, of IPv4 where there is one; 127.0.0.1 where the machine reaches nobody. Nothing is sent for it.
    static func now() -> String {
        address(AF_INET, "192.0.2.1") ?? address(AF_INET6, "2001:db8::1") ?? "127.0.0.1"
    }

    /// The source address that a datagram to `destination` would have.
    private static func address(_ family: Int32, _ destination: String) -> String? {
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST
        unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(destination, "9", &hints, &found) == 0, let entry = unsafe found else { return nil }
        defer { unsafe freeaddrinfo(entry) }
        guard unsafe connect(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 else { return nil }
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = unsafe withUnsafeMutablePointer(to: &own) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe getsockname(descriptor, address, &length) == 0 else { return Int32(-1) }
                return unsafe getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
        }
        guard result == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
