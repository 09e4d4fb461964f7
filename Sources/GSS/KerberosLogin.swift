#if GSSAPI
    package import Authentication
    internal import CGSSAPI
    package import Crypto
    internal import Glibc

    /// Somebody's way to Kerberos tickets: what they log in with, and the tickets that they have (C-10).
    ///
    /// Making one touches no library. Its calls block, and not two may be under way at a time.
    @safe package final class KerberosLogin: @unchecked Sendable {
        // Unchecked: the lane that it is used in has one call of a login under way at a time, and hands it from thread to
        // thread under a lock.
        private let source: KerberosCredential.Source
        private let principal: String?
        private var own: CredentialCache?

        /// A login with what the rule file says.
        package init(_ credential: KerberosCredential) {
            source = credential.source
            principal = credential.principal
        }

        /// A login by name and password.
        package init(_ name: LoginName, password: Secret) {
            source = .password(password)
            principal = name.principal
        }

        /// The realm that it is known to belong to, before any call.
        package var writtenRealm: String? {
            guard let principal, let border = principal.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
            return String(principal[principal.utf8.index(after: border)...])
        }

        /// Makes sure that a ticket for `service` is at hand, and gives the cache that it is in.
        ///
        /// Without `mayAskKDC` only what is at hand is looked at.
        func ticket(for service: ServicePrincipalName, mayAskKDC: Bool) throws(GSSError) -> Ticket.Place {
            switch source {
            case .defaultCache: return try Ticket.find(service, cache: nil, principal: principal, mayAskKDC: mayAskKDC)
            case .cache(let name):
                return try Ticket.find(service, cache: name, principal: principal, mayAskKDC: mayAskKDC)
            case .keytab, .password:
                let cache = try renewed(mayAskKDC: mayAskKDC)
                try cache.fetch(service, mayAskKDC: mayAskKDC)
                return .own(cache)
            }
        }

        /// The cache that others fill, by its name or nil for the default one, and whose it has to be; nil where the login
        /// fills one of its own.
        var sharedCache: (name: String?, principal: String?)? {
            switch source {
            case .defaultCache: (nil, principal)
            case .cache(let name): (name, principal)
            case .keytab, .password: nil
            }
        }

        /// Its own cache, filled by the KDC where that is due.
        func renewedCache() throws(GSSError) -> CredentialCache { try renewed(mayAskKDC: true) }

        /// Logs in where there is no ticket, and anew ahead of its end; an old one that holds is used on where no KDC
        /// answers.
        private func renewed(mayAskKDC: Bool) throws(GSSError) -> CredentialCache {
            let now = Int64(time(nil))
            let valid = own.flatMap { $0.isValid(at: now) ? $0 : nil }
            if let valid, !valid.isDue(at: now) || !mayAskKDC { return valid }
            guard mayAskKDC else { throw .unreachable(own?.realm ?? writtenRealm ?? "") }
            do throws(GSSError) {
                let fresh = try logIn()
                own = fresh
                return fresh
            } catch {
                guard let valid, error.kind == .unavailable else { throw error }
                return valid
            }
        }

        private func logIn() throws(GSSError) -> CredentialCache {
            let library = try KerberosLibrary()
            switch source {
            case .password(let password): return try logIn(password, library)
            case .keytab(let path, _): return try logIn(keytab: path, library)
            case .defaultCache, .cache: throw KerberosFailure.unusableProfile
            }
        }

        private func logIn(_ password: Secret, _ library: KerberosLibrary) throws(GSSError) -> CredentialCache {
            let client = try KerberosPrincipal(principal ?? "", library)
            var text = password.withBytes(NTLMLogin.terminated)
            defer { Wiping.wipe(&text) }
            return try unsafe CredentialCache(client: client, library) { library, request in
                unsafe text.withUnsafeBytes { bytes in
                    unsafe krb5_init_creds_set_password(
                        library,
                        request,
                        bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    )
                }
            }
        }

        private func logIn(
            keytab path: String,
            _ library: KerberosLibrary
        ) throws(GSSError) -> CredentialCache {
            let keytab = try Keytab(path, library)
            let client =
                if let principal { try KerberosPrincipal(principal, library) } else {
                    try keytab.firstPrincipal(library)
                }
            return try unsafe CredentialCache(client: client, library) { library, request in
                unsafe krb5_init_creds_set_keytab(library, request, keytab.raw)
            }
        }
    }

    extension KerberosLogin {
        /// Whose keys a keytab has, each once.
        package static func principals(ofKeytab path: String) throws(GSSError) -> [String] {
            let library = try KerberosLibrary()
            return try Keytab(path, library).principals(library)
        }
    }

    /// An open keytab.
    @safe private struct Keytab: ~Copyable {
        let raw: krb5_keytab
        private let library: KerberosLibrary

        init(_ path: String, _ library: KerberosLibrary) throws(GSSError) {
            var raw: krb5_keytab?
            try library.check(unsafe krb5_kt_resolve(library.raw, path, &raw), KerberosFailure.Subject())
            guard let raw = unsafe raw else { throw KerberosFailure.unusableProfile }
            unsafe self.raw = raw
            self.library = library
        }

        deinit { unsafe krb5_kt_close(library.raw, raw) }

        func principals(_ library: KerberosLibrary) throws(GSSError) -> [String] {
            var cursor: krb5_kt_cursor?
            try library.check(unsafe krb5_kt_start_seq_get(library.raw, raw, &cursor), KerberosFailure.Subject())
            defer { unsafe krb5_kt_end_seq_get(library.raw, raw, &cursor) }
            var names: [String] = []
            var entry = unsafe krb5_keytab_entry()
            while unsafe krb5_kt_next_entry(library.raw, raw, &entry, &cursor) == 0 {
                var copy: krb5_principal?
                if unsafe krb5_copy_principal(library.raw, entry.principal, &copy) == 0, let copy = unsafe copy {
                    let name = unsafe KerberosPrincipal(taking: copy, library).text
                    if !names.contains(name) { names.append(name) }
                }
                unsafe krb5_free_keytab_entry_contents(library.raw, &entry)
            }
            return names
        }

        /// Whose key is its first.
        func firstPrincipal(_ library: KerberosLibrary) throws(GSSError) -> KerberosPrincipal {
            let subject = KerberosFailure.Subject(client: "anybody")
            var cursor: krb5_kt_cursor?
            try library.check(unsafe krb5_kt_start_seq_get(library.raw, raw, &cursor), subject)
            defer { unsafe krb5_kt_end_seq_get(library.raw, raw, &cursor) }
            var entry = unsafe krb5_keytab_entry()
            try library.check(unsafe krb5_kt_next_entry(library.raw, raw, &entry, &cursor), subject)
            defer { unsafe krb5_free_keytab_entry_contents(library.raw, &entry) }
            var copy: krb5_principal?
            try library.check(unsafe krb5_copy_principal(library.raw, entry.principal, &copy), subject)
            guard let copy = unsafe copy else { throw KerberosFailure.unusableProfile }
            return unsafe KerberosPrincipal(taking: copy, library)
        }
    }
#endif
