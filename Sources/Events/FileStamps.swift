internal import CEvent
internal import Glibc

/// What stat says of files, to see that they have changed; also by a rename over them, or of a link on the way.
struct FileStamps {
    private struct Stamp: Equatable {
        let changed: FileMoment
        let size: off_t
        let inode: ino_t
        let device: dev_t
    }

    private var stamps: [String: Stamp?] = [:]

    /// Watches these files from now on; what is known of one already stays the measure.
    ///
    /// True if one of the others changed at `reading` or later: whoever read it then may have read what was before.
    mutating func watch(_ paths: [String], readAt reading: FileMoment) -> Bool {
        let known = stamps
        var mayBeStale = false
        stamps = [:]
        for path in paths {
            if let stamp = known[path] {
                stamps[path] = stamp
                continue
            }
            let stamp = Self.stamp(path)
            stamps[path] = stamp
            if let stamp, stamp.changed >= reading { mayBeStale = true }
        }
        return mayBeStale
    }

    /// Whether any of them is another than it was at the last look.
    mutating func hasChanged() -> Bool {
        var changed = false
        for path in stamps.keys {
            let now = Self.stamp(path)
            guard let known = stamps[path], now != known else { continue }
            stamps[path] = now
            changed = true
        }
        return changed
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Stamp(
            changed: FileMoment(status.st_ctim),
            size: status.st_size,
            inode: status.st_ino,
            device: status.st_dev
        )
    }
}

/// A time as file systems write it: by the wall clock, at its last tick.
package struct FileMoment: Comparable, Sendable {
    private let seconds: Int
    private let nanoseconds: Int

    init(_ time: timespec) {
        seconds = time.tv_sec
        nanoseconds = time.tv_nsec
    }

    /// What a file would get that changed now.
    package static var now: FileMoment {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return FileMoment(time)
    }

    package static func < (left: FileMoment, right: FileMoment) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
