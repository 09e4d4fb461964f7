import Bytes
import Glibc
import Support
import Testing

@testable import Events

/// What the starter of a service is told, by datagrams as sd_notify(3) has them.
@Suite struct ServiceNotificationTests {
    /// A socket at `path`, whose messages nobody has read yet.
    private static func socket(_ path: String) -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let offset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(offset + bytes.count))
            }
        }
        return result == 0 ? descriptor : -1
    }

    private static func message(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("O-4 a service's starter is told that it serves, reads its rules, lives and ends")
    func told() async {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder("notify")
            for path in [folder("socket"), "@" + folder("socket")] { try Self.talk(over: path) }
            exit(0)
        }
    }

    /// Ends the process where something else is told than should be.
    private static func talk(over path: String) throws {
        let socket = Self.socket(path)
        guard socket >= 0 else { exit(1) }
        unsafe setenv("NOTIFY_SOCKET", path, 1)
        unsafe setenv("WATCHDOG_USEC", "2000000", 1)
        unsafe setenv("WATCHDOG_PID", "\(getpid())", 1)
        let service = ServiceNotification()
        guard service.watchdog == .seconds(2) else { exit(2) }
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] {
            guard unsafe getenv(name) == nil else { exit(3) }
        }
        service.ready("serves\nREADY=0")
        guard Self.message(socket) == "READY=1\nSTATUS=serves\n" else { exit(4) }
        let before = Instant.monotonic.nanoseconds / 1000
        service.reloads()
        let words = Self.message(socket).split(separator: "\n")
        guard words.first == "RELOADING=1", words.count == 2, words[1].hasPrefix("MONOTONIC_USEC="),
            let time = UInt64(words[1].dropFirst(15)), time >= before, time < before + 5_000_000
        else { exit(5) }
        service.lives()
        guard Self.message(socket) == "WATCHDOG=1\n" else { exit(6) }
        service.stops("ends")
        guard Self.message(socket) == "STOPPING=1\nSTATUS=ends\n" else { exit(7) }
    }

    @Test("O-4 without a starter nobody is told, and another process's watchdog is none of ours")
    func untold() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("WATCHDOG_USEC", "2000000", 1)
            let alone = ServiceNotification()
            guard alone.watchdog == nil else { exit(1) }
            alone.ready("serves")
            let folder = try ScratchFolder("notify")
            unsafe setenv("NOTIFY_SOCKET", folder("none"), 1)
            unsafe setenv("WATCHDOG_USEC", "2000000", 1)
            unsafe setenv("WATCHDOG_PID", "1", 1)
            let other = ServiceNotification()
            guard other.watchdog == nil else { exit(2) }
            other.ready("serves")
            for odd in ["vsock:2:1", "relative", "/" + String(repeating: "x", count: 200)] {
                unsafe setenv("NOTIFY_SOCKET", odd, 1)
                ServiceNotification().ready("serves")
            }
            exit(0)
        }
    }
}
