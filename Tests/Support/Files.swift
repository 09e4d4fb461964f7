internal import Glibc

// By the kernel's own calls: what Foundation leaves behind after a read counts as a leak of the test.

/// The bytes of a file, or nil when it can't be opened.
package func contents(of path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe part.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return bytes }
        bytes += part[..<count]
    }
}

/// The names in a folder, sorted; empty when it can't be opened.
package func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    return unsafe names(in: folder).sorted()
}

/// The names in an open folder, but for `.` and `..`.
func names(in folder: OpaquePointer) -> [String] {
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// The kind and the rights of a file as `st_mode` has them, or nil when there is none.
package func mode(of path: String) -> UInt32? {
    var information = stat()
    return unsafe lstat(path, &information) == 0 ? information.st_mode : nil
}
