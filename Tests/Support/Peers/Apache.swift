/// Apache httpd: `/open/`, `/basic/` (realm "Basic staff") and `/digest/` (realm "Digest staff", MD5, qop auth).
package final class Apache: RealServer {
    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder

    /// Starts it; a nonce is stale after `nonceLifetime` seconds.
    package init(nonceLifetime: Int = 300) throws {
        folder = try ScratchFolder("apache")
        port = try FreePort.reserve()
        try folder.folder("run")
        log = AccessLog(path: folder("run/access.log"))
        for name in ["open", "basic", "digest"] {
            try folder.folder(name)
            try folder.write("apache \(name)\n", to: "\(name)/index.html")
        }
        try folder.write(htpasswdLine(), to: "htpasswd")
        let ha1 = Digest.md5("\(Login.username):Digest staff:\(Login.password)")
        try folder.write("\(Login.username):Digest staff:\(ha1)\n", to: "htdigest")
        try folder.write(Apache.configuration(folder, port: port, nonceLifetime: nonceLifetime), to: "apache.conf")
        process = try TestProcess("apache2", ["-f", folder("apache.conf"), "-DFOREGROUND"])
        try waitUntilAccepting(port, of: process)
    }

    private static func configuration(_ folder: ScratchFolder, port: UInt16, nonceLifetime: Int) -> String {
        let modules = [
            "mpm_event", "authn_core", "authn_file", "auth_basic", "auth_digest", "authz_core", "authz_user", "dir",
            "mime",
        ]
        let loads = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        let format = ["%>s", "%m", "%U", "%{Authorization}i"].joined(separator: AccessLog.separator)
        return """
            ServerRoot \(folder.path)
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(port)
            PidFile \(folder("run/pid"))
            ErrorLog \(folder("run/error.log"))
            Mutex file:\(folder("run"))
            \(loads.joined(separator: "\n"))
            \(isRoot ? "User www-data\nGroup www-data" : "")
            TypesConfig /dev/null
            StartServers 1
            MaxKeepAliveRequests 0
            LogFormat "\(format)" test
            CustomLog \(folder("run/access.log")) test
            DocumentRoot \(folder.path)
            DirectoryIndex index.html
            <Location /basic/>
                AuthType Basic
                AuthName "Basic staff"
                AuthBasicProvider file
                AuthUserFile \(folder("htpasswd"))
                Require valid-user
            </Location>
            <Location /digest/>
                AuthType Digest
                AuthName "Digest staff"
                AuthDigestDomain /digest/
                AuthDigestProvider file
                AuthDigestNonceLifetime \(nonceLifetime)
                AuthUserFile \(folder("htdigest"))
                Require valid-user
            </Location>

            """
    }
}
