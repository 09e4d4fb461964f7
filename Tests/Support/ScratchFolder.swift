internal import Glibc

/// A folder below /tmp that is gone with its last owner.
///
/// Everybody may enter it, since servers that are started as root read as a user of their own.
package final class ScratchFolder: Sendable {
    /// Its path, without a slash at the end.
    package let path: String

    /// Makes one whose name begins with `purpose`.
    package init(_ purpose: String = "test") throws {
        var template = Array("/tmp/countersign-\(purpose)-XXXXXX\0".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: \(systemError())") }
        path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        unsafe chmod(path, 0o755)
    }

    deinit {
        removeAll(path)
    }

    /// The path of `name` in it.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder in it that every server may write to, and gives its path.
    @discardableResult
    package func folder(_ name: String) throws -> String {
        let folder = self(name)
        guard unsafe mkdir(folder, 0o777) == 0 || errno == EEXIST else {
            throw TestFailure("mkdir \(folder): \(systemError())")
        }
        unsafe chmod(folder, 0o777)
        return folder
    }

    /// Writes `text` as the file `name`, in place of what it held, and gives its path.
    @discardableResult
    package func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws -> String {
        let file = self(name)
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw TestFailure("open \(file): \(systemError())") }
        defer { close(descriptor) }
        fchmod(descriptor, mode)
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw TestFailure("write \(file): \(systemError())") }
            bytes = bytes.dropFirst(count)
        }
        return file
    }

    /// The text of the file `name`, empty when there is none.
    package func text(of name: String) -> String { String(decoding: contents(of: self(name)) ?? [], as: UTF8.self) }
}

/// Removes a file, or a folder with all that is in it; links aren't followed.
private func removeAll(_ path: String) {
    guard unsafe remove(path) != 0, let folder = unsafe opendir(path) else { return }
    for name in unsafe names(in: folder) { removeAll("\(path)/\(name)") }
    unsafe closedir(folder)
    unsafe remove(path)
}

/// The words for errno.
func systemError(_ number: CInt = errno) -> String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
}

/// Files that belong to the tests.
package enum Fixture {
    /// The root of the checkout.
    package static let root: String = {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    }()

    /// The path of a file below Tests/Fixtures.
    package static func path(_ name: String) -> String { "\(root)/Tests/Fixtures/\(name)" }

    /// The text of a file below Tests/Fixtures.
    package static func text(_ name: String) throws -> String {
        String(decoding: try bytes("Tests/Fixtures/\(name)"), as: UTF8.self)
    }

    /// The bytes of a file, whose path begins at the root.
    package static func bytes(_ path: String) throws -> [UInt8] {
        guard let bytes = contents(of: "\(root)/\(path)") else { throw TestFailure("there is no \(root)/\(path)") }
        return bytes
    }

    /// The paths from the root on of all files in a folder, sorted.
    package static func files(in folder: String) -> [String] {
        names(in: "\(root)/\(folder)").map { "\(folder)/\($0)" }
    }
}
