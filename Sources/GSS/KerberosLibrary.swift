#if GSSAPI
    internal import CGSSAPI

    /// A context of libkrb5, with the profile as it was when it was made; used by one thread at a time.
    @safe final class KerberosLibrary {
        let raw: krb5_context

        init() throws(GSSError) {
            var raw: krb5_context?
            let code = unsafe krb5_init_context(&raw)
            guard code == 0, let raw = unsafe raw else { throw KerberosFailure.unusableProfile }
            unsafe self.raw = raw
        }

        deinit { unsafe krb5_free_context(raw) }

        /// Throws what `code` means, unless it is 0.
        func check(_ code: krb5_error_code, _ subject: KerberosFailure.Subject) throws(GSSError) {
            guard code != 0 else { return }
            throw KerberosFailure.error(code, subject, text: text(of: code))
        }

        /// The library's words for a code, without the names and paths that it may have to say besides.
        private func text(of code: krb5_error_code) -> String {
            unsafe krb5_clear_error_message(raw)
            guard let message = unsafe krb5_get_error_message(raw, code) else { return "error \(code)" }
            defer { unsafe krb5_free_error_message(raw, message) }
            return unsafe String(cString: message)
        }
    }

    /// A principal's name.
    @safe struct KerberosPrincipal: ~Copyable {
        let raw: krb5_principal
        private let library: KerberosLibrary

        /// Takes the name over.
        init(taking raw: krb5_principal, _ library: KerberosLibrary) {
            unsafe self.raw = raw
            self.library = library
        }

        /// The name that `text` stands for; without a realm it is in the default one.
        init(_ text: String, _ library: KerberosLibrary) throws(GSSError) {
            var raw: krb5_principal?
            let code = unsafe krb5_parse_name(library.raw, text, &raw)
            try library.check(code, KerberosFailure.Subject(client: text))
            guard let raw = unsafe raw else { throw KerberosFailure.unusableProfile }
            unsafe self.init(taking: raw, library)
        }

        /// The principal of a service.
        init(_ service: ServicePrincipalName, _ library: KerberosLibrary) throws(GSSError) {
            switch service.form {
            case .principal(let text): try self.init(text, library)
            case .host(let name, let host):
                var raw: krb5_principal?
                let code = unsafe krb5_sname_to_principal(library.raw, host, name, KRB5_NT_SRV_HST, &raw)
                try library.check(code, KerberosFailure.Subject(service: service.text))
                guard let raw = unsafe raw else { throw KerberosFailure.unusableProfile }
                unsafe self.init(taking: raw, library)
            }
        }

        deinit { unsafe krb5_free_principal(library.raw, raw) }

        /// Its realm.
        var realm: String {
            let realm = unsafe raw.pointee.realm
            let bytes = unsafe UnsafeRawBufferPointer(start: realm.data, count: Int(realm.length))
            return unsafe String(decoding: bytes, as: UTF8.self)
        }

        /// The whole of it as text.
        var text: String {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe krb5_unparse_name(library.raw, raw, &text) == 0, let text = unsafe text else { return "" }
            defer { unsafe krb5_free_unparsed_name(library.raw, text) }
            return unsafe String(cString: text)
        }
    }
#endif
