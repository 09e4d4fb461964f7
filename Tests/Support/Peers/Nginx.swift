/// nginx: `/open/` and `/basic/` (realm "Engine staff").
package final class Nginx: RealServer {
    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder

    /// Starts it.
    package init() throws {
        folder = try ScratchFolder("nginx")
        port = try FreePort.reserve()
        try folder.folder("run")
        log = AccessLog(path: folder("run/access.log"))
        for name in ["open", "basic"] {
            try folder.folder(name)
            try folder.write("nginx \(name)\n", to: "\(name)/index.html")
        }
        try folder.write(htpasswdLine(), to: "users")
        let format = ["$status", "$request_method", "$uri", "$http_authorization"].joined(
            separator: AccessLog.separator
        )
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { [folder] in
            "\($0)_temp_path \(folder("run/\($0)"));"
        }
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
                keepalive_requests 100000;
                server {
                    listen 127.0.0.1:\(port);
                    root \(folder.path);
                    index index.html;
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
}
