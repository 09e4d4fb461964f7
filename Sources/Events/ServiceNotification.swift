package import Bytes
internal import CEvent
internal import Glibc

/// Tells whoever started this process as a service how it is [sd_notify(3)]; nobody where it is none.
///
/// It goes by datagrams to a unix socket. Where nobody reads them, each is given up after a second.
package final class ServiceNotification: Sendable {
    private let owner: Descriptor?
    /// -1 where nobody is to be told.
    private let socket: Int32
    private let path: [UInt8]
    /// Within which time WATCHDOG=1 is expected again and again; nil where nobody expects it.
    package let watchdog: Nanoseconds?

    /// Takes what the starter said out of the environment, so that no child believes that it was told.
    ///
    /// To be called once, before there are other threads, which might read the environment meanwhile.
    package init() {
        let path = Array((Self.take("NOTIFY_SOCKET") ?? "").utf8)
        let interval = Self.take("WATCHDOG_USEC").flatMap { UInt64($0) }
        let process = Self.take("WATCHDOG_PID").flatMap { Int32($0) }
        self.path = path
        // An abstract one begins with @; other families are for virtual machines.
        let isKnown = path.first == UInt8(ascii: "/") || path.first == UInt8(ascii: "@")
        let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let rawValue = isKnown && path.count < capacity ? Glibc.socket(AF_UNIX, type, 0) : -1
        owner = rawValue >= 0 ? Descriptor(owning: rawValue) : nil
        socket = rawValue
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        _ = unsafe setsockopt(rawValue, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isForUs = process == nil || process == getpid()
        let longest = UInt64.max / 1000
        watchdog = rawValue >= 0 && isForUs ? interval.flatMap { $0 > 0 && $0 < longest ? $0 * 1000 : nil } : nil
    }

    private static func take(_ name: String) -> String? {
        defer { unsafe unsetenv(name) }
        return unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// It serves, under rules that are whole.
    package func ready(_ status: String) { send("READY=1\nSTATUS=\(Self.line(status))\n") }

    /// It reads its rules again; `ready` follows.
    package func reloads() {
        send("RELOADING=1\nMONOTONIC_USEC=\(Instant.monotonic.nanoseconds / 1000)\n")
    }

    /// It comes to its end.
    package func stops(_ status: String) { send("STOPPING=1\nSTATUS=\(Self.line(status))\n") }

    /// It isn't stuck.
    package func lives() { send("WATCHDOG=1\n") }

    /// A second line would be an assignment of its own.
    private static func line(_ text: String) -> String {
        String(text.prefix { !$0.isNewline })
    }

    private func send(_ text: String) {
        guard socket >= 0 else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            unsafe field.copyBytes(from: path)
            if unsafe field[0] == UInt8(ascii: "@") { unsafe field[0] = 0 }
        }
        // An abstract name ends where the address does.
        let offset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let length = socklen_t(offset + path.count + (path.first == UInt8(ascii: "/") ? 1 : 0))
        let message = Array(text.utf8)
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(socket, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
