#if GSSAPI
    internal import CGSSAPI
    internal import Crypto

    /// A name of GSSAPI's.
    @safe struct GSSName: ~Copyable {
        let raw: gss_name_t

        /// Takes `text` as a name of this type.
        init(_ text: String, type: gss_OID) throws(GSSError) {
            var raw: gss_name_t?
            var minor: OM_uint32 = 0
            let major = unsafe withBuffer(Array(text.utf8)) { unsafe gss_import_name(&minor, $0, type, &raw) }
            guard major == CGSSAPI_GSS_S_COMPLETE, let raw = unsafe raw else {
                throw unsafe GSSStatus(major, minor).error(nil)
            }
            unsafe self.raw = raw
        }

        /// The name of a service.
        init(_ service: ServicePrincipalName) throws(GSSError) {
            switch service.form {
            case .host(let name, let host):
                try unsafe self.init("\(name)@\(host)", type: CGSSAPI_GSS_C_NT_HOSTBASED_SERVICE())
            case .principal(let text):
                try unsafe self.init(text, type: CGSSAPI_GSS_KRB5_NT_PRINCIPAL_NAME())
            }
        }

        deinit {
            var name: gss_name_t? = unsafe raw
            var minor: OM_uint32 = 0
            _ = unsafe gss_release_name(&minor, &name)
        }
    }

    /// A credential of GSSAPI's, for one handshake.
    @safe struct GSSCredential: ~Copyable {
        let raw: gss_cred_id_t

        /// What an NTLM login can be answered with, for NTLMSSP itself or for SPNEGO with nothing else in it.
        init(_ login: NTLMLogin, inSPNEGO: Bool) throws(GSSError) {
            let name = try unsafe GSSName(login.name.ntlm, type: CGSSAPI_GSS_C_NT_USER_NAME())
            var hash = login.storedHash()
            defer { Wiping.wipe(&hash) }
            try unsafe self.init(
                name.raw,
                CGSSAPI_mechanism_ntlmssp(),
                inSPNEGO: inSPNEGO,
                key: "ntlmssp_nthash",
                value: hash
            )
        }

        /// The tickets of a cache, for SPNEGO with nothing but Kerberos in it.
        init(cache name: String) throws(GSSError) {
            let value = Array(name.utf8) + [0]
            try unsafe self.init(nil, CGSSAPI_mechanism_kerberos(), inSPNEGO: true, key: "ccache", value: value)
        }

        private init(
            _ name: gss_name_t?,
            _ mechanism: gss_OID,
            inSPNEGO: Bool,
            key: StaticString,
            value: [UInt8]
        ) throws(GSSError) {
            var raw: gss_cred_id_t?
            var minor: OM_uint32 = 0
            let whole = unsafe inSPNEGO ? CGSSAPI_mechanism_spnego() : mechanism
            var major = unsafe withStore(key, value) { store in
                var mechanisms = unsafe gss_OID_set_desc(count: 1, elements: whole)
                let usage = gss_cred_usage_t(GSS_C_INITIATE)
                return unsafe gss_acquire_cred_from(&minor, name, 0, &mechanisms, usage, store, &raw, nil, nil)
            }
            if inSPNEGO, major == CGSSAPI_GSS_S_COMPLETE {
                var mechanisms = unsafe gss_OID_set_desc(count: 1, elements: mechanism)
                major = unsafe gss_set_neg_mechs(&minor, raw, &mechanisms)
            }
            let status = GSSStatus(major, minor)
            guard major == CGSSAPI_GSS_S_COMPLETE, let raw = unsafe raw else {
                unsafe gss_release_cred(&minor, &raw)
                throw unsafe status.error(mechanism)
            }
            unsafe self.raw = raw
        }

        deinit {
            var credential: gss_cred_id_t? = unsafe raw
            var minor: OM_uint32 = 0
            _ = unsafe gss_release_cred(&minor, &credential)
        }
    }

    /// What a call of GSSAPI's gave.
    struct GSSStatus {
        let major: OM_uint32
        let minor: OM_uint32

        init(_ major: OM_uint32, _ minor: OM_uint32) {
            self.major = major
            self.minor = minor
        }

        /// The error that it stands for, where nothing else is known.
        func error(_ mechanism: gss_OID?) -> GSSError {
            let routine = CGSSAPI_GSS_ROUTINE_ERROR(major)
            if routine == CGSSAPI_GSS_S_BAD_MECH || routine == CGSSAPI_GSS_S_UNAVAILABLE {
                let text = "GSSAPI has no mechanism for this; install gss-ntlmssp for NTLM"
                return GSSError(.unavailable, "gssapi.mechanism-missing", text)
            }
            return GSSError(.unavailable, "gssapi.failed", unsafe "GSSAPI: " + text(mechanism))
        }

        /// The mechanism's words for its own status, else GSSAPI's for the call's.
        func text(_ mechanism: gss_OID?) -> String {
            if minor != 0, let words = unsafe words(minor, GSS_C_MECH_CODE, mechanism) { return words }
            return unsafe words(major, GSS_C_GSS_CODE, mechanism) ?? "status \(major)"
        }

        private func words(_ code: OM_uint32, _ type: Int32, _ mechanism: gss_OID?) -> String? {
            var buffer = unsafe gss_buffer_desc()
            var minor: OM_uint32 = 0
            var place: OM_uint32 = 0
            let status = unsafe gss_display_status(&minor, code, type, mechanism, &place, &buffer)
            guard status == CGSSAPI_GSS_S_COMPLETE else { return nil }
            defer { _ = unsafe gss_release_buffer(&minor, &buffer) }
            let text = unsafe String(
                decoding: UnsafeRawBufferPointer(start: buffer.value, count: buffer.length),
                as: UTF8.self
            )
            return text.isEmpty ? nil : text
        }
    }

    /// Lends a credential store of one value, which ends in NUL.
    private func withStore<R>(_ key: StaticString, _ value: [UInt8], _ body: (gss_const_key_value_set_t) -> R) -> R {
        unsafe value.withUnsafeBytes { value in
            var element = unsafe gss_key_value_element_desc(
                key: UnsafeRawPointer(key.utf8Start).assumingMemoryBound(to: CChar.self),
                value: value.baseAddress?.assumingMemoryBound(to: CChar.self)
            )
            return unsafe withUnsafeMutablePointer(to: &element) { elements in
                var store = unsafe gss_key_value_set_desc(count: 1, elements: elements)
                return unsafe body(&store)
            }
        }
    }

    /// Lends `bytes` as a buffer of GSSAPI's, which only reads it.
    func withBuffer<R>(_ bytes: [UInt8], _ body: (gss_buffer_t) -> R) -> R {
        unsafe bytes.withUnsafeBytes { bytes in
            var buffer = unsafe gss_buffer_desc(
                length: bytes.count,
                value: UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            )
            return unsafe body(&buffer)
        }
    }
#endif
