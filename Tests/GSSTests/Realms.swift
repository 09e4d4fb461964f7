#if GSSAPI
    internal import Glibc
    internal import Support

    @testable internal import GSS

    /// The realms of this process's tests: libkrb5 reads KRB5_CONFIG for the whole of it.
    ///
    /// The profile asks for the very canonicalization that the proxy's own, put before it, turns off (C-9).
    enum Realms {
        static let shared = Result { try Set() }

        struct Set: Sendable {
            /// It runs; user and password are those of `Login`.
            let open: KerberosRealm
            /// Its KDC's clock goes an hour ahead, but for the tickets that the test gets first.
            let ahead: KerberosRealm
            /// Its KDC has ended.
            let down: KerberosRealm
            let keytab: String

            fileprivate init() throws {
                let hostile = ["dns_canonicalize_hostname = true", "rdns = true"]
                open = try KerberosRealm(
                    "OPEN.TEST",
                    services: ["HTTP/localhost", "HTTP/web.open.test", "HTTP/127.0.0.1", "agent"],
                    users: [Login.username: Login.password, "bob": "bob's"],
                    libraryDefaults: hostile
                )
                ahead = try KerberosRealm("AHEAD.TEST")
                down = try KerberosRealm("DOWN.TEST")
                down.stop()
                keytab = try open.keytab("HTTP/localhost", "HTTP/web.open.test", "HTTP/127.0.0.1")
                let files = [open, ahead, down].map(\.configuration).joined(separator: ":")
                unsafe setenv("KRB5_CONFIG", files, 1)
                KerberosProfile.install()
            }
        }
    }
#endif
