internal import Glibc

/// What a real server says that it was asked; what two connections asked at once may stand in either order.
package struct AccessLog: Sendable {
    /// One request, as the server logged it.
    package struct Entry: Sendable, CustomStringConvertible {
        package let status: Int
        package let method: String
        package let target: String
        /// Authorization, or Proxy-Authorization at a parent; empty when there was none.
        package let authorization: String

        package var description: String { "\(status) \(method) \(target) [\(authorization)]" }
    }

    /// Divides the fields of a line, in the order of `Entry`; no server quotes it.
    static let separator = "~~"

    let path: String

    /// The entries so far.
    package var entries: [Entry] {
        String(decoding: contents(of: path) ?? [], as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: AccessLog.separator, omittingEmptySubsequences: false).map(String.init)
            // squid also logs connections that sent nothing, as those that wait for its start do.
            guard parts.count == 4, let status = Int(parts[0]), !parts[2].hasPrefix("error:") else { return nil }
            // Some put a backslash before a quote.
            let authorization = parts[3] == "-" ? "" : parts[3].split(separator: "\\").joined()
            return Entry(status: status, method: parts[1], target: parts[2], authorization: authorization)
        }
    }

    /// The statuses so far.
    package var statuses: [Int] { entries.map(\.status) }

    /// Returns the entries once there are at least `count`; servers write them after the response.
    @discardableResult
    package func wait(for count: Int, within limit: Duration = .seconds(10)) throws -> [Entry] {
        try eventually("\(count) lines in \(path); there are \(entries)", within: limit) { entries.count >= count }
        return entries
    }
}

/// What the real servers and parents ask for.
package enum Login {
    package static let username = "alice"
    /// With characters that a careless client would take apart or encode.
    package static let password = "open: sesame, 100% \"sure\""
}

/// A real server on a loopback port, ended with its last owner.
package protocol RealServer: Sendable {
    var port: UInt16 { get }
    var log: AccessLog { get }
    var process: TestProcess { get }
}

extension RealServer {
    /// The server's URL without a path.
    package var url: String { "http://127.0.0.1:\(port)" }
}

/// A line of an htpasswd file for the login, as Apache's own program makes it.
func htpasswdLine() throws -> String {
    let htpasswd = try TestProcess("htpasswd", ["-nbm", Login.username, Login.password])
    guard try htpasswd.waitForExit() == .status(0) else { throw TestFailure("htpasswd: \(htpasswd.errors)") }
    return htpasswd.output
}

/// Whether this process may and must tell servers to change to a user of their own.
package var isRoot: Bool { getuid() == 0 }
