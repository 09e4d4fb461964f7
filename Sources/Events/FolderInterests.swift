internal import CEvent
internal import Glibc

/// The folders in which a change may mean another content of the files that are watched, and the names that matter there.
///
/// Every folder on a path is one, and those behind its symbolic links, so that a rename anywhere on the way is seen.
struct FolderInterests {
    /// What matters in a folder.
    struct Names {
        fileprivate(set) var names: Set<String> = []
        /// Any name does, as where the files of a pattern lie.
        fileprivate(set) var takesAll = false
        /// Some of them are watched files themselves, and not only on the way to one.
        fileprivate(set) var holdsFiles = false

        /// Whether a change of `name` matters.
        func contains(_ name: String) -> Bool {
            // Editors keep their own files, whose names begin with a dot, beside those that are edited.
            names.contains(name) || (takesAll && !name.hasPrefix("."))
        }
    }

    private static let linkLimit = 40

    private(set) var folders: [String: Names] = [:]
    private var linksLeft = 0

    /// What has to be watched for `paths`, as the file system is now; a relative path counts from the current folder.
    init(_ paths: [String]) {
        let current = Self.currentFolder()
        for path in paths { add(path.hasPrefix("/") ? path : "\(current)/\(path)") }
    }

    private mutating func add(_ path: String) {
        linksLeft = Self.linkLimit
        var folder = "/"
        var ahead = Array(Self.components(of: path).reversed())
        while let name = ahead.popLast() {
            if name == ".." {
                folder = Self.parent(of: folder)
                continue
            }
            folders[folder, default: Names()].names.insert(name)
            let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            if let target = Self.target(ofLink: next) {
                linksLeft -= 1
                guard linksLeft > 0 else { return }
                // Whoever swaps the link changes the file.
                folders[folder]?.holdsFiles = true
                if target.hasPrefix("/") { folder = "/" }
                ahead += Self.components(of: target).reversed()
                continue
            }
            if ahead.isEmpty { folders[folder]?.holdsFiles = true }
            guard Self.isFolder(next) else { return }
            folder = next
        }
        folders[folder, default: Names()].takesAll = true
        folders[folder]?.holdsFiles = true
    }

    private static func components(of path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    private static func parent(of folder: String) -> String {
        guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else { return "/" }
        return String(folder[..<slash])
    }

    private static func target(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &bytes, bytes.count)
        return count > 0 ? text(bytes.prefix(count)) : nil
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func currentFolder() -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe getcwd(&bytes, bytes.count) != nil else { return "/" }
        return text(bytes.prefix { $0 != 0 })
    }

    private static func text(_ bytes: ArraySlice<CChar>) -> String {
        String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
