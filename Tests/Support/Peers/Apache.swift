/// Apache httpd: `/open/`, `/basic/` (realm "Basic staff") and `/digest/` (realm "Digest staff", MD5, qop auth); over TLS
/// also `/certificate/`, for which it asks behind the handshake.
package final class Apache: RealServer {
    package let port: UInt16
    package let process: TestProcess
    package let log: AccessLog
    private let folder: ScratchFolder

    /// Starts it in the clear; a nonce is stale after `nonceLifetime` seconds.
    package convenience init(nonceLifetime: Int = 300) throws {
        try self.init(nonceLifetime: nonceLifetime, more: [], tells: "%{Authorization}i")
    }

    /// Starts it over TLS with this certificate; its log tells whose certificate was shown in place of the
    /// Authorization. What lies in the folder `repositories` is served by git below `/digest/git/`.
    package convenience init(
        _ leaf: TestAuthority.Leaf,
        clients: TestAuthority,
        protocols: String = "+TLSv1.2 +TLSv1.3",
        repositories: String? = nil
    ) throws {
        var tls = [
            "LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so", "SSLEngine on",
            "SSLCertificateFile \(leaf.certificate)", "SSLCertificateKeyFile \(leaf.key)",
            "SSLCACertificateFile \(clients.certificate)", "SSLProtocol -all \(protocols)",
            "<Location /certificate/>\n    SSLVerifyClient require\n    SSLVerifyDepth 2\n</Location>",
        ]
        if let repositories { tls += Apache.git(repositories) }
        try self.init(nonceLifetime: 300, more: tls, tells: "%{SSL_CLIENT_S_DN}x")
    }

    /// Starts it in the clear with `/negotiate/`, for which it wants a ticket of this realm; its log tells the user and the
    /// client's port in place of the Authorization.
    ///
    /// `isBound` has who is known stay so on the connection (GssapiConnectionBound).
    package convenience init(realm: KerberosRealm, keytab: String, isBound: Bool) throws {
        try self.init(
            nonceLifetime: 300,
            more: [
                "LoadModule auth_gssapi_module /usr/lib/apache2/modules/mod_auth_gssapi.so",
                "<Location /negotiate/>", "AuthType GSSAPI", "AuthName Realm", "GssapiCredStore keytab:\(keytab)",
                "GssapiAllowedMech krb5", "GssapiConnectionBound \(isBound ? "On" : "Off")", "Require valid-user",
                "</Location>",
            ],
            tells: "%u %{remote}p",
            environment: realm.environment
        )
    }

    private init(
        nonceLifetime: Int,
        more: [String],
        tells field: String,
        environment: [String: String] = [:]
    ) throws {
        folder = try ScratchFolder("apache")
        port = try FreePort.reserve()
        try folder.folder("run")
        log = AccessLog(path: folder("run/access.log"))
        for name in ["open", "basic", "digest", "certificate", "negotiate"] {
            try folder.folder(name)
            try folder.write("apache \(name)\n", to: "\(name)/index.html")
        }
        try folder.write(htpasswdLine(), to: "htpasswd")
        let ha1 = Digest.md5("\(Login.username):Digest staff:\(Login.password)")
        try folder.write("\(Login.username):Digest staff:\(ha1)\n", to: "htdigest")
        let format = ["%>s", "%m", "%U", field].joined(separator: AccessLog.separator)
        let configuration = Apache.configuration(folder, port: port, nonceLifetime: nonceLifetime, format: format)
        try folder.write(configuration + more.map { "\($0)\n" }.joined(), to: "apache.conf")
        process = try TestProcess("apache2", ["-f", folder("apache.conf"), "-DFOREGROUND"], environment: environment)
        try waitUntilAccepting(port, of: process)
    }

    /// git's smart protocol (git-http-backend(1)), for repositories of whatever owner.
    private static func git(_ repositories: String) -> [String] {
        ["cgi", "alias", "env"].map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" } + [
            "SetEnv GIT_PROJECT_ROOT \(repositories)", "SetEnv GIT_HTTP_EXPORT_ALL 1",
            "SetEnv GIT_CONFIG_COUNT 1", "SetEnv GIT_CONFIG_KEY_0 safe.directory", "SetEnv GIT_CONFIG_VALUE_0 *",
            "ScriptAlias /digest/git/ /usr/lib/git-core/git-http-backend/",
        ]
    }

    private static func configuration(
        _ folder: ScratchFolder,
        port: UInt16,
        nonceLifetime: Int,
        format: String
    ) -> String {
        let modules = [
            "mpm_event", "authn_core", "authn_file", "auth_basic", "auth_digest", "authz_core", "authz_user", "dir",
            "mime",
        ]
        let loads = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
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

    /// Its authority by the name that its certificate is for.
    package var authority: String { "localhost:\(port)" }
}
