/// nginx: `/open/`, `/close/` (each response ends its connection), `/basic/` (realm "Engine staff") and `/token`, which
/// gives the Bearer token `nginx-token`.
package final class Nginx: RealServer {
    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder

    /// Starts it in the clear; its log tells the Authorization of each request.
    package convenience init() throws {
        try self.init(tls: [], tells: "$http_authorization")
    }

    /// Starts it over TLS with this certificate; its log tells whether a session was resumed (`r`, else `.`) and who
    /// showed which certificate, in place of the Authorization.
    ///
    /// With `clients` it demands a certificate of that authority: who shows none gets a page that says 400. If it only
    /// `asks` for one, any will do, and none as well.
    package convenience init(
        _ leaf: TestAuthority.Leaf,
        clients: TestAuthority? = nil,
        asks: Bool = false,
        protocols: String = "TLSv1.2 TLSv1.3",
        staple: String? = nil,
        isResuming: Bool = true
    ) throws {
        var tls = [
            // Else it would refuse the old and the weak of its own accord.
            "ssl_ciphers DEFAULT@SECLEVEL=0", "ssl_certificate \(leaf.certificate)", "ssl_certificate_key \(leaf.key)",
            "ssl_protocols \(protocols)", "ssl_session_cache \(isResuming ? "shared:test:1m" : "off")",
            "ssl_session_tickets \(isResuming ? "on" : "off")",
        ]
        if let clients { tls += ["ssl_client_certificate \(clients.certificate)", "ssl_verify_client on"] }
        if asks { tls.append("ssl_verify_client optional_no_ca") }
        if let staple { tls += ["ssl_stapling on", "ssl_stapling_file \(staple)"] }
        try self.init(tls: tls, tells: "$ssl_session_reused $ssl_client_s_dn")
    }

    private init(tls: [String], tells field: String) throws {
        folder = try ScratchFolder("nginx")
        port = try FreePort.reserve()
        try folder.folder("run")
        log = AccessLog(path: folder("run/access.log"))
        for name in ["open", "basic"] {
            try folder.folder(name)
            try folder.write("nginx \(name)\n", to: "\(name)/index.html")
        }
        try folder.write(String(repeating: "0123456789abcdef", count: 1 << 18), to: "open/large")
        try folder.write(htpasswdLine(), to: "users")
        let configuration = Nginx.configuration(folder, port: port, tls: tls, tells: field)
        let arguments = ["-p", folder.path, "-e", folder("run/error.log"), "-c"]
        process = try TestProcess("nginx", arguments + [folder.write(configuration, to: "nginx.conf")])
        try waitUntilAccepting(port, of: process)
    }

    /// Puts a file below `/open/`.
    package func serve(_ text: String, as name: String) throws { try folder.write(text, to: "open/\(name)") }

    private static func configuration(
        _ folder: ScratchFolder,
        port: UInt16,
        tls: [String],
        tells field: String
    )
        -> String
    {
        let format = ["$status", "$request_method", "$uri", field].joined(separator: AccessLog.separator)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { name in
            "\(name)_temp_path \(folder("run/\(name)"));"
        }
        return """
            daemon off;
            \(isRoot ? "user www-data;" : "")
            worker_processes 1;
            pid \(folder("run/pid"));
            error_log \(folder("run/error.log")) info;
            events { worker_connections 1024; }
            http {
                \(temporary.joined(separator: "\n    "))
                log_format test escape=none '\(format)';
                access_log \(folder("run/access.log")) test;
                default_type text/plain;
                keepalive_requests 100000;
                server {
                    listen 127.0.0.1:\(port)\(tls.isEmpty ? "" : " ssl");
                    \(tls.map { "\($0);" }.joined(separator: "\n        "))
                    root \(folder.path);
                    index index.html;
                    location /close/ { keepalive_timeout 0; alias \(folder.path)/open/; }
                    location = /token {
                        default_type application/json;
                        return 200 '{"access_token":"nginx-token","token_type":"Bearer","expires_in":3600}';
                    }
                    location /basic/ {
                        auth_basic "Engine staff";
                        auth_basic_user_file \(folder("users"));
                    }
                }
            }

            """
    }

    /// Its authority by the name that its certificate is for.
    package var authority: String { "localhost:\(port)" }

    /// How many handshakes have failed so far.
    package var failedHandshakes: Int {
        folder.text(of: "run/error.log").split(separator: "\n").count { $0.contains("SSL_do_handshake() failed") }
    }
}
