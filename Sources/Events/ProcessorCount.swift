internal import CEvent
internal import Glibc

/// How many processors this process may use.
package enum ProcessorCount {
    /// The most workers that are started unless told otherwise.
    package static let mostWorkers = 8

    /// The number of workers: CPU affinity, the cgroup's quota rounded up and `mostWorkers`, whichever is least.
    package static func workers() -> Int {
        max(1, min(affinity(), cgroupLimit(read: readFile) ?? .max, mostWorkers))
    }

    /// How many processors the calling thread may run on.
    static func affinity() -> Int {
        // Room for 8,192 processors, as many as Linux knows.
        var set = [UInt64](repeating: 0, count: 128)
        let size = set.count * MemoryLayout<UInt64>.size
        guard unsafe sched_getaffinity(0, size, &set) == 0 else { return 1 }
        return set.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The quota of the process's cgroup and of those above it, in processors rounded up; nil without any.
    ///
    /// `read` gives the text of a file, nil where there is none.
    static func cgroupLimit(read: (String) -> String?) -> Int? {
        guard let membership = read("/proc/self/cgroup") else { return nil }
        var limits: [Int] = []
        for line in membership.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[0] == "0" && parts[1].isEmpty {
                limits += ancestors(of: parts[2]).compactMap { path in
                    read("/sys/fs/cgroup\(path)/cpu.max").flatMap(processors(cpuMax:))
                }
            } else if parts[1].split(separator: ",").contains("cpu") {
                // The folder is named by the controllers; a link "cpu" is usual but not sure.
                limits += ancestors(of: parts[2]).compactMap { path in
                    let folder = "/sys/fs/cgroup/\(parts[1])\(path)"
                    guard let quota = read("\(folder)/cpu.cfs_quota_us") else { return nil }
                    return processors(quota: quota, period: read("\(folder)/cpu.cfs_period_us") ?? "100000")
                }
            }
        }
        return limits.min()
    }

    /// The path itself, then its parents up to "", which is the root and the only one that a container may see.
    private static func ancestors(of path: Substring) -> [Substring] {
        var path = path.last == "/" ? path.dropLast() : path
        var result = [path]
        while let slash = path.lastIndex(of: "/") {
            path = path[..<slash]
            result.append(path)
        }
        return result
    }

    /// The processors that the text of a version 2 `cpu.max` allows, rounded up; nil for "max" or what can't be read.
    static func processors(cpuMax text: String) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let quota = words.first else { return nil }
        return processors(quota: String(quota), period: words.count > 1 ? String(words[1]) : "100000")
    }

    /// The processors that so many microseconds in each period allow, rounded up; nil for −1 or what can't be read.
    static func processors(quota: String, period: String) -> Int? {
        func number(_ text: String) -> Int? { Int(text.prefix { !$0.isWhitespace }) }
        guard let quota = number(quota), let period = number(period), quota > 0, period > 0 else { return nil }
        return (quota - 1) / period + 1
    }

    private static func readFile(_ path: String) -> String? {
        let rawValue = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard rawValue >= 0 else { return nil }
        let descriptor = Descriptor(owning: rawValue)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(descriptor.rawValue, &bytes, bytes.count)
        return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
