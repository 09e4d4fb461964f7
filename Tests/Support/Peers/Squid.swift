internal import Glibc

/// squid as a parent proxy that may reach every port of this machine.
package final class Squid: RealServer {
    /// What it demands of its clients, by 407.
    package enum Demand: Equatable, Sendable {
        case nothing
        /// Realm "Squid basic".
        case basic
        /// Realm "Squid digest": MD5, qop auth, and squid's default limits of a nonce.
        case digest
        /// A ticket of the realm for HTTP/localhost, whose key is in this keytab.
        case negotiate(keytab: String)
    }

    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder
    private let service: String

    /// Starts it; with a `leaf` its clients speak TLS to it.
    package convenience init(
        demanding demand: Demand,
        leaf: TestAuthority.Leaf? = nil,
        realm: KerberosRealm? = nil
    ) throws {
        let folder = try ScratchFolder("squid")
        let authentication: [String]
        switch demand {
        case .nothing: authentication = []
        case .basic:
            try folder.write(htpasswdLine(), to: "users")
            authentication = [
                "auth_param basic program /usr/lib/squid/basic_ncsa_auth \(folder("users"))",
                "auth_param basic realm Squid basic",
            ]
        case .digest:
            let space = "\(Login.username):Squid digest"
            try folder.write("\(space):\(Digest.md5("\(space):\(Login.password)"))\n", to: "users")
            authentication = [
                "auth_param digest program /usr/lib/squid/digest_file_auth -c \(folder("users"))",
                "auth_param digest realm Squid digest",
            ]
        case .negotiate(let keytab):
            let service = "HTTP/localhost@\(realm?.name ?? "")"
            authentication = [
                "auth_param negotiate program /usr/lib/squid/negotiate_kerberos_auth -k \(keytab) -s \(service)"
            ]
        }
        let access =
            authentication.isEmpty
            ? ["http_access allow all"] : ["acl known proxy_auth REQUIRED", "http_access allow known"]
        try self.init(folder, lines: authentication + access, leaf: leaf, environment: realm?.environment ?? [:])
    }

    /// Starts it as the child of a parent, whose lines of squid.conf these are.
    package convenience init(asking lines: String) throws {
        try self.init(ScratchFolder("squid"), lines: [lines, "http_access allow all"])
    }

    private init(
        _ folder: ScratchFolder,
        lines: [String],
        leaf: TestAuthority.Leaf? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.folder = folder
        port = try FreePort.reserve()
        try folder.folder("run")
        log = AccessLog(path: folder("run/access.log"))
        let format = ["%>Hs", "%rm", "%ru", "%{Proxy-Authorization}>h"].joined(separator: AccessLog.separator)
        let secured = leaf.map { " tls-cert=\($0.certificate) tls-key=\($0.key)" } ?? ""
        let configuration = """
            \(leaf == nil ? "http_port" : "https_port") 127.0.0.1:\(port)\(secured)
            visible_hostname squid.test
            pid_filename \(folder("run/squid.pid"))
            cache_log \(folder("run/cache.log"))
            coredump_dir \(folder("run"))
            logformat test \(format)
            access_log stdio:\(folder("run/access.log")) logformat=test
            buffered_logs off
            logfile_rotate 0
            netdb_filename none
            pinger_enable off
            cache deny all
            shutdown_lifetime 1 second
            \(lines.joined(separator: "\n"))
            http_access deny all

            """
        // Its name keeps its shared memory apart from another squid's.
        service = "countersign\(port)"
        let arguments = try ["-N", "-n", service, "-f", folder.write(configuration, to: "squid.conf")]
        // Asked politely it takes two seconds, clients or not, and there is nothing to keep.
        process = try TestProcess("squid", arguments, environment: environment, stopSignal: SIGKILL)
        try waitUntilAccepting(port, of: process)
    }

    deinit {
        process.stop()
        for part in ["metadata", "queues", "readers"] { unsafe unlink("/dev/shm/\(service)-cf__\(part).shm") }
    }
}
