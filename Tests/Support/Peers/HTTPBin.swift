internal import Glibc

/// httpbin under gunicorn, from the virtual environment that `make setup` fills.
///
/// `/basic-auth/U/P`, `/digest-auth/QOP/U/P/ALGORITHM/STALE_AFTER` and the rest; /post gives back what it got.
package final class HTTPBin: RealServer {
    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder

    /// The interpreter of the virtual environment.
    package static func python() throws -> String {
        let path = "\(Fixture.root)/.build/venv/bin/python"
        guard unsafe access(path, X_OK) == 0 else { throw TestFailure("there is no \(path); `make setup` makes it") }
        return path
    }

    /// Starts it.
    package init() throws {
        folder = try ScratchFolder("httpbin")
        port = try FreePort.reserve()
        log = AccessLog(path: folder("access.log"))
        let format = ["%(s)s", "%(m)s", "%(U)s", "%({authorization}i)s"].joined(separator: AccessLog.separator)
        let arguments = [
            "-m", "gunicorn", "--bind", "127.0.0.1:\(port)", "--worker-class", "gthread", "--threads", "8",
            "--worker-tmp-dir", folder.path, "--graceful-timeout", "1", "--access-logfile", folder("access.log"),
            "--access-logformat", format, "httpbin:app",
        ]
        process = try TestProcess(HTTPBin.python(), arguments, workingFolder: folder.path)
        try waitUntilAccepting(port, of: process, within: .seconds(30))
    }
}
