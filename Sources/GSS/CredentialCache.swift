#if GSSAPI
    internal import CGSSAPI

    /// A cache of tickets that only its owners have, a login and the handshakes that it has begun: in memory, and wiped
    /// with the last of them (C-10).
    @safe final class CredentialCache {
        /// The library by which it is used, one call at a time.
        let library: KerberosLibrary
        let raw: krb5_ccache
        /// Its name, by which GSSAPI finds it.
        let name: String
        /// Whose tickets are in it.
        let client: String
        /// The realm that they are from.
        let realm: String
        /// When the ticket-granting ticket begins and ends, in seconds of Unix time.
        let begin: Int64
        let end: Int64

        deinit { unsafe krb5_cc_destroy(library.raw, raw) }

        /// The tickets that were got with `login`, which puts what it has into the request; one attempt and no second one at
        /// another KDC.
        init(
            client: consuming KerberosPrincipal,
            _ library: KerberosLibrary,
            _ login: (krb5_context, krb5_init_creds_context) -> krb5_error_code
        ) throws(GSSError) {
            let subject = KerberosFailure.Subject(client: client.text, realm: client.realm)
            var made: krb5_ccache?
            try library.check(unsafe krb5_cc_new_unique(library.raw, "MEMORY", nil, &made), subject)
            guard let cache = unsafe made else { throw KerberosFailure.unusableProfile }
            var times = krb5_ticket_times()
            let code = unsafe Self.logIn(library.raw, client.raw, into: cache, &times, login)
            guard code == 0 else {
                unsafe krb5_cc_destroy(library.raw, cache)
                try library.check(code, subject)
                throw KerberosFailure.unusableProfile
            }
            name = unsafe "MEMORY:" + String(cString: krb5_cc_get_name(library.raw, cache))
            self.client = subject.client
            realm = subject.realm
            // The library counts on as unsigned beyond 2038.
            begin = Int64(UInt32(bitPattern: times.starttime == 0 ? times.authtime : times.starttime))
            end = Int64(UInt32(bitPattern: times.endtime))
            unsafe raw = cache
            self.library = library
        }

        /// Whether it is time for a new one: a tenth of its life or a minute before its end, whichever is more, but not
        /// in the first half.
        func isDue(at now: Int64) -> Bool {
            let life = max(0, end - begin)
            return now >= end - min(max(life / 10, 60), life / 2)
        }

        /// Whether its ticket-granting ticket still holds.
        func isValid(at now: Int64) -> Bool { now < end }

        private static func logIn(
            _ library: krb5_context,
            _ client: krb5_principal,
            into cache: krb5_ccache,
            _ times: inout krb5_ticket_times,
            _ login: (krb5_context, krb5_init_creds_context) -> krb5_error_code
        ) -> krb5_error_code {
            var options: UnsafeMutablePointer<krb5_get_init_creds_opt>?
            var code = unsafe krb5_get_init_creds_opt_alloc(library, &options)
            defer { unsafe krb5_get_init_creds_opt_free(library, options) }
            if code == 0 { code = unsafe krb5_get_init_creds_opt_set_out_ccache(library, options, cache) }
            var request: krb5_init_creds_context?
            if code == 0 { code = unsafe krb5_init_creds_init(library, client, nil, nil, 0, options, &request) }
            guard code == 0, let request = unsafe request else { return code }
            defer { unsafe krb5_init_creds_free(library, request) }
            code = unsafe login(library, request)
            if code == 0 { code = unsafe krb5_init_creds_get(library, request) }
            if code == 0 { code = unsafe krb5_init_creds_get_times(library, request, &times) }
            return code
        }
    }
#endif
