internal import Glibc

/// A folder with the control sockets of running processes.
struct ControlFolder {
    static let prefix = "control-"
    static let suffix = ".sock"

    let path: String

    /// The sockets that are there, by process; one may be of a process that is gone.
    var sockets: [(process: Int32, path: String)] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var sockets: [(process: Int32, path: String)] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix),
                let process = Int32(name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count))
            else { continue }
            sockets.append((process, "\(path)/\(name)"))
        }
        return sockets.sorted { $0.process < $1.process }
    }

    /// Removes the sockets that nobody listens at any more.
    func removeStale() {
        for socket in sockets {
            do throws(UnixStream.Failure) {
                _ = try UnixStream.connecting(to: socket.path)
            } catch {
                if case .refused = error { unsafe unlink(socket.path) }
            }
        }
    }
}
