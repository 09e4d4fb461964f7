/// nginx over TLS: `/open/` and `/basic/` (realm "Engine staff"); it logs whether a session was resumed and who showed
/// which certificate in place of the Authorization.
package final class SecureNginx: RealServer {
    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder

    /// Starts it with this certificate; with `clients` it demands a certificate of that authority.
    package init(
        _ leaf: TestAuthority.Leaf,
        clients: TestAuthority? = nil,
        protocols: String = "TLSv1.2 TLSv1.3"
    ) throws {
        folder = try ScratchFolder("secure-nginx")
        port = try FreePort.reserve()
        try folder.folder("run")
        log = AccessLog(path: folder("run/access.log"))
        for name in ["open", "basic"] {
            try folder.folder(name)
            try folder.write("nginx \(name)\n", to: "\(name)/index.html")
        }
        try folder.write(String(repeating: "0123456789abcdef", count: 1 << 18), to: "open/large")
        try folder.write(htpasswdLine(), to: "users")
        let format = ["$status", "$request_method", "$uri", "$ssl_session_reused $ssl_client_s_dn"].joined(
            separator: AccessLog.separator
        )
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { [folder] in
            "\($0)_temp_path \(folder("run/\($0)"));"
        }
        let demand = clients.map { "ssl_client_certificate \($0.certificate); ssl_verify_client on;" } ?? ""
        let configuration = """
            daemon off;
            \(isRoot ? "user www-data;" : "")
            worker_processes 1;
            pid \(folder("run/pid"));
            error_log \(folder("run/error.log"));
            events { worker_connections 1024; }
            http {
                \(temporary.joined(separator: "\n    "))
                log_format test escape=none '\(format)';
                access_log \(folder("run/access.log")) test;
                default_type text/plain;
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(leaf.certificate);
                    ssl_certificate_key \(leaf.key);
                    ssl_protocols \(protocols);
                    ssl_session_cache shared:test:1m;
                    \(demand)
                    root \(folder.path);
                    index index.html;
                    location /close/ { keepalive_timeout 0; alias \(folder.path)/open/; }
                    location /basic/ {
                        auth_basic "Engine staff";
                        auth_basic_user_file \(folder("users"));
                    }
                }
            }

            """
        let arguments = ["-p", folder.path, "-e", folder("run/error.log"), "-c"]
        process = try TestProcess("nginx", arguments + [folder.write(configuration, to: "nginx.conf")])
        try waitUntilAccepting(port, of: process)
    }

    /// Its authority by the name that its certificate is for.
    package var authority: String { "localhost:\(port)" }
}
