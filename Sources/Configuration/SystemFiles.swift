internal import Glibc

/// The machine's own files.
package struct SystemFiles: FileReading {
    package init() {}

    /// The time of the machine's clock, in seconds of Unix time.
    package static var now: Int64 { Int64(time(nil)) }

    package func contents(of path: String, limit: Int) throws(FileError) -> [UInt8] {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Self.lastError() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile }
        return try Self.everything(in: path, limit: limit)
    }

    private static func everything(in path: String, limit: Int) throws(FileError) -> [UInt8] {
        // Not blocking, so that a FIFO without a writer holds nothing up.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw lastError() }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        defer { wipe(&chunk) }
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw lastError() }
            if count == 0 { return content }
            guard content.count + count <= limit else {
                wipe(&content)
                throw .tooLarge(limit: limit)
            }
            content += chunk[..<count]
        }
    }

    package func names(in folder: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(folder.isEmpty ? "." : folder) else { throw Self.lastError() }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    package func isReadableByOthers(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
    }

    package func isInMemory(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        guard let mounts = try? Self.everything(in: "/proc/self/mountinfo", limit: 4 << 20) else { return false }
        // `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`
        let number = UInt64(status.st_dev)
        let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
        let minor = number & 0xFF | (number >> 12) & ~0xFF
        let device = "\(major):\(minor)"
        return String(decoding: mounts, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-") else { return false }
            return fields.dropFirst(dash + 1).first == "tmpfs"
        }
    }

    private static func lastError() -> FileError {
        switch errno {
        case ENOENT: .missing
        case EACCES, EPERM: .forbidden
        case EISDIR: .noFile
        case ENOTDIR: .noFolder
        default: .system(unsafe String(cString: strerror(errno)))
        }
    }
}

/// Overwrites bytes that may hold a secret.
private func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return }
        unsafe explicit_bzero(base, buffer.count)
    }
}
