/// lighttpd: `/open/` and `/digest/` (realm "Light staff", SHA-256, qop auth, userhash).
package final class Lighttpd: RealServer {
    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder

    /// Starts it.
    package init() throws {
        folder = try ScratchFolder("lighttpd")
        port = try FreePort.reserve()
        try folder.folder("run")
        log = AccessLog(path: folder("run/access.log"))
        for name in ["open", "digest"] {
            try folder.folder(name)
            try folder.write("lighttpd \(name)\n", to: "\(name)/index.html")
        }
        let space = "\(Login.username):Light staff"
        try folder.write(
            "\(space):\(Digest.sha256("\(space):\(Login.password)")):\(Digest.sha256(space))\n",
            to: "htdigest"
        )
        let format = ["%>s", "%m", "%U", "%{Authorization}i"].joined(separator: AccessLog.separator)
        let configuration = """
            server.modules = ("mod_auth", "mod_authn_file", "mod_accesslog")
            server.document-root = "\(folder.path)"
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.errorlog = "\(folder("run/error.log"))"
            server.max-keep-alive-requests = 100000
            \(isRoot ? "server.username = \"www-data\"\nserver.groupname = \"www-data\"" : "")
            index-file.names = ("index.html")
            accesslog.filename = "|exec cat >>\(folder("run/access.log"))"
            accesslog.format = "\(format)"
            auth.backend = "htdigest"
            auth.backend.htdigest.userfile = "\(folder("htdigest"))"
            auth.require = ("/digest/" => (
                "method" => "digest", "realm" => "Light staff", "require" => "valid-user",
                "algorithm" => "SHA-256", "userhash" => "enable"))

            """
        process = try TestProcess("lighttpd", ["-D", "-f", folder.write(configuration, to: "lighttpd.conf")])
        try waitUntilAccepting(port, of: process)
    }
}
