/// What a login's tickets look like, and whether there is one for a service.
package struct KerberosSighting: Sendable {
    /// The cache that was looked into, by its full name.
    package let cache: String
    /// Whose tickets are in it.
    package let principal: String
    /// When its ticket-granting ticket ends, in seconds of Unix time; nil where there is none in it.
    package let end: Int64?
    /// The service that a ticket is for.
    package let service: String
    /// Why there is no ticket for it; nil where there is one.
    package let failure: GSSError?
}

#if GSSAPI
    internal import CGSSAPI

    extension KerberosLogin {
        /// Looks at the tickets, and has the KDC asked for one of `service`, as an exchange would.
        ///
        /// A keytab logs in at the KDC; nothing goes to the service itself. It blocks.
        package func sighting(of service: ServicePrincipalName) throws(GSSError) -> KerberosSighting {
            if let (name, principal) = sharedCache {
                return try Ticket.sighting(of: service, cache: name, principal: principal)
            }
            let cache = try renewedCache()
            var failure: GSSError?
            do throws(GSSError) { try cache.fetch(service, mayAskKDC: true) } catch { failure = error }
            return KerberosSighting(
                cache: "a cache of its own",
                principal: cache.client,
                end: cache.end,
                service: service.text,
                failure: failure
            )
        }
    }

    extension Ticket {
        fileprivate static func sighting(
            of service: ServicePrincipalName,
            cache name: String?,
            principal: String?
        ) throws(GSSError) -> KerberosSighting {
            let library = try KerberosLibrary()
            let cache = try unsafe open(name, principal, library)
            defer { unsafe krb5_cc_close(library.raw, cache) }
            var owner: krb5_principal?
            try library.check(unsafe krb5_cc_get_principal(library.raw, cache, &owner), KerberosFailure.Subject())
            guard let owner = unsafe owner else { throw KerberosFailure.unusableProfile }
            let client = unsafe KerberosPrincipal(taking: owner, library).text
            var failure: GSSError?
            do throws(GSSError) {
                try unsafe fetch(service, in: cache, library, mayAskKDC: true)
            } catch {
                failure = error
            }
            var fullName: UnsafeMutablePointer<CChar>?
            guard unsafe krb5_cc_get_full_name(library.raw, cache, &fullName) == 0, let fullName = unsafe fullName
            else {
                throw KerberosFailure.unusableProfile
            }
            defer { unsafe krb5_free_string(library.raw, fullName) }
            return unsafe KerberosSighting(
                cache: String(cString: fullName),
                principal: client,
                end: end(in: cache, library),
                service: service.text,
                failure: failure
            )
        }

        /// When the last of the ticket-granting tickets in a cache ends.
        private static func end(in cache: krb5_ccache, _ library: KerberosLibrary) -> Int64? {
            var cursor: krb5_cc_cursor?
            guard unsafe krb5_cc_start_seq_get(library.raw, cache, &cursor) == 0 else { return nil }
            defer { unsafe krb5_cc_end_seq_get(library.raw, cache, &cursor) }
            var end: Int64?
            var ticket = unsafe krb5_creds()
            while unsafe krb5_cc_next_cred(library.raw, cache, &cursor, &ticket) == 0 {
                if unsafe isTicketGranting(ticket.server, library) {
                    // The library counts on as unsigned beyond 2038.
                    end = max(end ?? 0, Int64(UInt32(bitPattern: unsafe ticket.times.endtime)))
                }
                unsafe krb5_free_cred_contents(library.raw, &ticket)
            }
            return end
        }

        private static func isTicketGranting(_ server: krb5_principal?, _ library: KerberosLibrary) -> Bool {
            var text: UnsafeMutablePointer<CChar>?
            guard let server = unsafe server, unsafe krb5_unparse_name(library.raw, server, &text) == 0,
                let text = unsafe text
            else { return false }
            defer { unsafe krb5_free_unparsed_name(library.raw, text) }
            return unsafe String(cString: text).hasPrefix("krbtgt/")
        }
    }
#endif
