/// What the reader of rule files asks of the file system, so that tests need none.
package protocol FileReading: Sendable {
    /// The content of a regular file of at most `limit` bytes.
    func contents(of path: String, limit: Int) throws(FileError) -> [UInt8]
    /// The names in a folder, in no order, without `.` and `..`.
    func names(in folder: String) throws(FileError) -> [String]
    /// Whether users beside the file's owner and group may read it; false where that can't be told.
    func isReadableByOthers(_ path: String) -> Bool
    /// Whether what is written there stays in memory (a tmpfs).
    func isInMemory(_ path: String) -> Bool
}

/// Why a file can't be read.
package enum FileError: Error, Equatable, Sendable {
    case missing, forbidden, noFile, noFolder
    case tooLarge(limit: Int)
    /// Another error of the operating system, in its words.
    case system(String)

    package var message: String {
        switch self {
        case .missing: "there is no such file"
        case .forbidden: "the right to read it is missing"
        case .noFile: "it isn't a file"
        case .noFolder: "it isn't a folder"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .system(let text): text
        }
    }
}

/// Paths as text; nothing here asks the file system.
enum Path {
    /// The folder that a path lies in; empty for a bare name, which lies in the current folder.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path as seen from a folder, without resolving anything.
    static func joined(_ folder: String, _ path: String) -> String {
        if path.hasPrefix("/") || folder.isEmpty { return path }
        let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
    }

    /// Whether a name fits a pattern of the shell: `*` is any text, `?` one character.
    static func matches(_ name: String, glob: String) -> Bool {
        let name = Array(name.unicodeScalars)
        let glob = Array(glob.unicodeScalars)
        if name.first == ".", glob.first != "." { return false }
        // The classic walk with one point to come back to: linear but for the last star.
        var (position, pattern) = (0, 0)
        var star: (pattern: Int, position: Int)?
        while position < name.count {
            if pattern < glob.count, glob[pattern] == "*" {
                star = (pattern, position)
                pattern += 1
            } else if pattern < glob.count, glob[pattern] == "?" || glob[pattern] == name[position] {
                pattern += 1
                position += 1
            } else if let back = star {
                star = (back.pattern, back.position + 1)
                pattern = back.pattern + 1
                position = back.position + 1
            } else {
                return false
            }
        }
        return glob[pattern...].allSatisfy { $0 == "*" }
    }
}
