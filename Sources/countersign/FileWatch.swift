internal import Glibc

/// Notices that files have changed, by what stat says of them; also by a rename over them.
struct FileWatch {
    private struct Stamp: Equatable {
        let seconds: Int
        let nanoseconds: Int
        let size: Int
        let inode: UInt
        let device: UInt
    }

    private var stamps: [String: Stamp?] = [:]

    /// Watches these files from now on, as they are now.
    mutating func watch(_ paths: [String]) {
        stamps = [:]
        for path in paths { stamps[path] = Self.stamp(path) }
    }

    /// Whether any of them is another than it was at the last look.
    mutating func hasChanged() -> Bool {
        var changed = false
        for (path, known) in stamps {
            let now = Self.stamp(path)
            guard now != known else { continue }
            stamps[path] = now
            changed = true
        }
        return changed
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Stamp(
            seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec,
            size: Int(status.st_size),
            inode: UInt(status.st_ino),
            device: UInt(status.st_dev)
        )
    }
}
