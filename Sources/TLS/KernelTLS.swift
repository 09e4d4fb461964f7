internal import Glibc

/// TLS records made by the kernel, which sees the socket anyway.
enum KernelTLS {
    /// Whether the kernel has it loaded.
    ///
    /// Asked once: a kernel without it would look for a module at each connection.
    static let isAvailable = contents(of: "/proc/sys/net/ipv4/tcp_available_ulp").split(separator: " ").contains("tls")

    private static func contents(of path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        // The list ends in a line feed.
        return String(decoding: bytes.prefix(max(0, count)).map { $0 == 0x0a ? 0x20 : $0 }, as: UTF8.self)
    }
}
