#if GSSAPI
    internal import CGSSAPI

    /// Tickets of services, got before a handshake so that its own call finds them and why there is none is known by
    /// libkrb5's own codes.
    enum Ticket {
        /// Where a ticket is.
        enum Place {
            /// In a cache that others fill, by its full name.
            case shared(String)
            case own(CredentialCache)

            /// The name by which GSSAPI finds it.
            var name: String {
                switch self {
                case .shared(let name): name
                case .own(let cache): cache.name
                }
            }
        }

        /// Finds a ticket in a cache that others fill, by its name or nil for the default one; it is looked for anew each
        /// time, so that one that appears later is noticed.
        static func find(
            _ service: ServicePrincipalName,
            cache name: String?,
            principal: String?,
            mayAskKDC: Bool
        ) throws(GSSError) -> Place {
            let library = try KerberosLibrary()
            let cache = try unsafe open(name, principal, library)
            defer { unsafe krb5_cc_close(library.raw, cache) }
            try unsafe fetch(service, in: cache, library, mayAskKDC: mayAskKDC)
            var fullName: UnsafeMutablePointer<CChar>?
            try library.check(unsafe krb5_cc_get_full_name(library.raw, cache, &fullName), KerberosFailure.Subject())
            guard let fullName = unsafe fullName else { throw KerberosFailure.unusableProfile }
            defer { unsafe krb5_free_string(library.raw, fullName) }
            return .shared(unsafe String(cString: fullName))
        }

        /// Opens a cache that others fill; for its caller to close.
        static func open(
            _ name: String?,
            _ principal: String?,
            _ library: KerberosLibrary
        ) throws(GSSError) -> krb5_ccache {
            let subject = KerberosFailure.Subject(client: principal ?? "")
            var cache: krb5_ccache?
            if let name {
                try library.check(unsafe krb5_cc_resolve(library.raw, name, &cache), subject)
            } else if let principal {
                let client = try KerberosPrincipal(principal, library)
                try library.check(unsafe krb5_cc_cache_match(library.raw, client.raw, &cache), subject)
            } else {
                try library.check(unsafe krb5_cc_default(library.raw, &cache), subject)
            }
            guard let cache = unsafe cache else { throw KerberosFailure.unusableProfile }
            return unsafe cache
        }

        /// Makes sure that the cache holds a ticket for `service`.
        static func fetch(
            _ service: ServicePrincipalName,
            in cache: krb5_ccache,
            _ library: KerberosLibrary,
            mayAskKDC: Bool
        ) throws(GSSError) {
            var owner: krb5_principal?
            try library.check(unsafe krb5_cc_get_principal(library.raw, cache, &owner), KerberosFailure.Subject())
            guard let owner = unsafe owner else { throw KerberosFailure.unusableProfile }
            let client = unsafe KerberosPrincipal(taking: owner, library)
            let server = try KerberosPrincipal(service, library)
            var wanted = unsafe krb5_creds()
            unsafe wanted.client = client.raw
            unsafe wanted.server = server.raw
            if unsafe get(krb5_flags(KRB5_GC_CACHED), &wanted, cache, library) == 0 { return }
            guard mayAskKDC else { throw .unreachable(client.realm) }
            let subject = KerberosFailure.Subject(client: client.text, service: service.text, realm: client.realm)
            try library.check(unsafe get(0, &wanted, cache, library), subject)
        }

        private static func get(
            _ options: krb5_flags,
            _ wanted: inout krb5_creds,
            _ cache: krb5_ccache,
            _ library: KerberosLibrary
        ) -> krb5_error_code {
            var found: UnsafeMutablePointer<krb5_creds>?
            let code = unsafe krb5_get_credentials(library.raw, options, cache, &wanted, &found)
            if code == 0 { unsafe krb5_free_creds(library.raw, found) }
            return code
        }
    }

    extension CredentialCache {
        /// Makes sure that it holds a ticket for `service`.
        func fetch(_ service: ServicePrincipalName, mayAskKDC: Bool) throws(GSSError) {
            try unsafe Ticket.fetch(service, in: raw, library, mayAskKDC: mayAskKDC)
        }
    }
#endif
