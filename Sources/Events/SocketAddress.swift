package import Bytes
internal import CEvent
internal import Glibc

/// An address and a TCP port.
package struct SocketAddress: Hashable, Sendable {
    /// The address.
    package let address: IPAddress
    /// The port; 0 asks for any free one when bound.
    package let port: UInt16

    /// `port` at `address`.
    package init(_ address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    var family: Int32 { address.family == .v4 ? AF_INET : AF_INET6 }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:80` or `[::1]:80`
    package var description: String {
        address.family == .v4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}

extension SocketAddress {
    /// The address in the kernel's form; nil for families other than IPv4 and IPv6.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let (value, port) = unsafe withUnsafeBytes(of: &storage) { bytes in
                let form = unsafe bytes.load(as: sockaddr_in.self)
                return (UInt32(bigEndian: form.sin_addr.s_addr), UInt16(bigEndian: form.sin_port))
            }
            self.init(IPAddress(v4: value), port: port)
        case AF_INET6:
            let (high, low, port) = unsafe withUnsafeBytes(of: &storage) { bytes in
                let form = unsafe bytes.load(as: sockaddr_in6.self)
                let octets = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
                let high = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: octets, as: UInt64.self))
                let low = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: octets + 8, as: UInt64.self))
                return (high, low, UInt16(bigEndian: form.sin6_port))
            }
            // A listener on :: sees IPv4 clients as mapped addresses.
            self.init(IPAddress(v6: high, low).unmapped, port: port)
        default:
            return nil
        }
    }

    /// Calls `body` with the address in the kernel's form.
    func withKernelForm<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var storage = sockaddr_storage()
        let length: Int
        if let value = address.v4 {
            var form = sockaddr_in()
            form.sin_family = sa_family_t(AF_INET)
            form.sin_port = port.bigEndian
            form.sin_addr.s_addr = value.bigEndian
            length = MemoryLayout<sockaddr_in>.size
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: form, as: sockaddr_in.self) }
        } else {
            var form = sockaddr_in6()
            form.sin6_family = sa_family_t(AF_INET6)
            form.sin6_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &form.sin6_addr) { octets in
                unsafe octets.storeBytes(of: address.high.bigEndian, toByteOffset: 0, as: UInt64.self)
                unsafe octets.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            length = MemoryLayout<sockaddr_in6>.size
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: form, as: sockaddr_in6.self) }
        }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(length))
            }
        }
    }

    /// Reads an address by a call such as getsockname; nil if the call fails or the family is another one.
    static func read(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &length) }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }
}
