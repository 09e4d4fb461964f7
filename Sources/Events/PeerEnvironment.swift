internal import CEvent
internal import Glibc

/// Whether the process behind a socket was started with a text in its environment [proc_pid_environ(5)].
///
/// It was given the text then, whether its program has a way to say so or not. A process whose environment this one may
/// not read counts as one without it. Blocks for as long as it takes to look at all processes of the machine.
package enum PeerEnvironment {
    /// Whether a process that has `socket`, the inode of a socket, also has `text` in its environment.
    package static func holds(_ text: Span<UInt8>, socket: UInt32) -> Bool {
        if text.isEmpty { return false }
        let name = Array("socket:[\(socket)]".utf8)
        for process in names(in: "/proc") where process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // The first question leaves few processes, and these are few enough to look at their descriptors.
            if environment(of: process, holds: text), descriptors(of: process, name: name) { return true }
        }
        return false
    }

    private static func environment(of process: String, holds text: Span<UInt8>) -> Bool {
        let descriptor = unsafe open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var chunk = [UInt8](repeating: 0, count: text.count + 16 << 10)
        defer {
            // Other processes' variables may hold secrets.
            unsafe chunk.withUnsafeMutableBytes { chunk in
                if let base = chunk.baseAddress { unsafe explicit_bzero(base, chunk.count) }
            }
        }
        var kept = 0
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { chunk in
                unsafe read(descriptor, chunk.baseAddress?.advanced(by: kept), chunk.count - kept)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            let end = kept + count
            if contains(chunk.span.extracting(0..<end), text) { return true }
            // The text may lie across the border.
            kept = min(end, text.count - 1)
            for index in 0..<kept { chunk[index] = chunk[end - kept + index] }
        }
    }

    private static func contains(_ bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        guard bytes.count >= text.count else { return false }
        for start in 0...(bytes.count - text.count) where bytes[start] == text[0] {
            var count = 1
            while count < text.count, bytes[start + count] == text[count] { count += 1 }
            if count == text.count { return true }
        }
        return false
    }

    private static func descriptors(of process: String, name: [UInt8]) -> Bool {
        var target = [UInt8](repeating: 0, count: name.count + 1)
        return names(in: "/proc/\(process)/fd").contains { number in
            let count = unsafe target.withUnsafeMutableBytes { target in
                guard let base = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self) else { return 0 }
                return unsafe readlink("/proc/\(process)/fd/\(number)", base, target.count)
            }
            return count == name.count && target.prefix(name.count).elementsEqual(name)
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
