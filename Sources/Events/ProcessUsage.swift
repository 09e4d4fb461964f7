package import Bytes
internal import CEvent
internal import Glibc

/// What this process takes of the machine.
package struct ProcessUsage: Sendable {
    /// User and system time.
    package let processorTime: Nanoseconds
    /// In bytes; 0 where the kernel doesn't tell.
    package let residentMemory: UInt64
    /// 0 where the kernel doesn't tell.
    package let openDescriptors: UInt64
    /// The soft limit.
    package let descriptorLimit: UInt64

    /// As it is now.
    package static var now: ProcessUsage {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return ProcessUsage(
            processorTime: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec),
            residentMemory: pages(at: 1) * UInt64(sysconf(Int32(_SC_PAGESIZE))),
            openDescriptors: descriptors,
            descriptorLimit: UInt64(limit.rlim_cur)
        )
    }

    /// The number at `place` of those that statm tells, in pages [proc(5)].
    static func pages(at place: Int) -> UInt64 {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = unsafe text.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        let words = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        return place < words.count ? UInt64(String(decoding: words[place], as: UTF8.self)) ?? 0 : 0
    }

    private static var descriptors: UInt64 {
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { _ = unsafe closedir(folder) }
        var count: UInt64 = 0
        while let entry = unsafe readdir(folder) {
            // Neither the folder's own two names nor the descriptor by which it is read.
            if unsafe entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        return count == 0 ? 0 : count - 1
    }
}
