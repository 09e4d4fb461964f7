internal import CEvent
internal import Glibc

/// A small file of the system's, read again when it changes.
struct WatchedFile {
    private struct Stamp: Equatable {
        var seconds = 0
        var nanoseconds = 0
        var size: off_t = -1
        var number: ino_t = 0
    }

    /// Much more than such a file ever holds.
    private static let largest = 1024 * 1024

    let path: String
    private var stamp: Stamp?

    init(_ path: String) { self.path = path }

    /// Whether it is another one than at the last call; true at the first.
    mutating func hasChanged() -> Bool {
        var status = stat()
        var now = Stamp()
        if unsafe stat(path, &status) == 0 {
            now.seconds = status.st_mtim.tv_sec
            now.nanoseconds = status.st_mtim.tv_nsec
            now.size = status.st_size
            now.number = status.st_ino
        }
        guard now != stamp else { return false }
        stamp = now
        return true
    }

    /// What it holds; empty where it can't be read.
    func read() -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return [] }
        let descriptor = Descriptor(owning: number)
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 * 1024)
        while content.count < Self.largest {
            let count = unsafe Glibc.read(descriptor.rawValue, &piece, piece.count)
            guard count > 0 else { break }
            content += piece[..<count]
        }
        return content
    }
}
