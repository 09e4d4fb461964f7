#if GSSAPI
    internal import CGSSAPI
    internal import Support

    /// The server's side of handshakes, by the system's library.
    @safe final class Acceptor {
        private var context: gss_ctx_id_t?
        private var credential: gss_cred_id_t?
        private(set) var isComplete = false
        /// Who the client is, as the library shows it.
        private(set) var client = ""

        /// A server that takes Kerberos inside SPNEGO, or what else a client of SPNEGO offers.
        convenience init(keytab: String) throws {
            try unsafe self.init("keytab", keytab, mechanism: CGSSAPI_mechanism_spnego(), name: nil)
        }

        /// A server that takes NTLM, with lines of `DOMAIN:user:password`.
        convenience init(users path: String, inSPNEGO: Bool = false) throws {
            try unsafe self.init(
                "ntlmssp_keyfile",
                path,
                mechanism: inSPNEGO ? CGSSAPI_mechanism_spnego() : CGSSAPI_mechanism_ntlmssp(),
                name: "HTTP@localhost"
            )
        }

        private init(_ key: String, _ value: String, mechanism: gss_OID, name text: String?) throws {
            var minor: OM_uint32 = 0
            var name: gss_name_t?
            if let text {
                _ = unsafe Acceptor.lend(Array(text.utf8)) {
                    unsafe gss_import_name(&minor, $0, CGSSAPI_GSS_C_NT_HOSTBASED_SERVICE(), &name)
                }
            }
            defer { unsafe gss_release_name(&minor, &name) }
            let major = unsafe key.withCString { key in
                unsafe value.withCString { value in
                    var element = unsafe gss_key_value_element_desc(key: key, value: value)
                    return unsafe withUnsafeMutablePointer(to: &element) { elements in
                        var store = unsafe gss_key_value_set_desc(count: 1, elements: elements)
                        var mechanisms = unsafe gss_OID_set_desc(count: 1, elements: mechanism)
                        let usage = gss_cred_usage_t(GSS_C_ACCEPT)
                        return unsafe gss_acquire_cred_from(
                            &minor,
                            name,
                            0,
                            &mechanisms,
                            usage,
                            &store,
                            &credential,
                            nil,
                            nil
                        )
                    }
                }
            }
            guard major == CGSSAPI_GSS_S_COMPLETE else { throw TestFailure("no acceptor: \(major) \(minor)") }
        }

        deinit {
            var minor: OM_uint32 = 0
            if unsafe context != nil { unsafe gss_delete_sec_context(&minor, &context, nil) }
            unsafe gss_release_cred(&minor, &credential)
        }

        /// Takes the client's token and gives the answer; throws where the library refuses it.
        func step(_ token: [UInt8], channelBinding: [UInt8]? = nil) throws -> [UInt8] {
            var output = unsafe gss_buffer_desc()
            var minor: OM_uint32 = 0
            var name: gss_name_t?
            let major = unsafe Acceptor.lend(channelBinding ?? []) { data in
                var bindings = unsafe gss_channel_bindings_struct()
                unsafe bindings.application_data = data.pointee
                return unsafe withUnsafeMutablePointer(to: &bindings) { bindings in
                    let bindings = unsafe channelBinding == nil ? nil : bindings
                    return unsafe Acceptor.lend(token) {
                        unsafe gss_accept_sec_context(
                            &minor,
                            &context,
                            credential,
                            $0,
                            bindings,
                            &name,
                            nil,
                            &output,
                            nil,
                            nil,
                            nil
                        )
                    }
                }
            }
            defer {
                unsafe gss_release_buffer(&minor, &output)
                unsafe gss_release_name(&minor, &name)
            }
            guard CGSSAPI_GSS_ERROR(major) == 0 else { throw TestFailure("refused: \(major) \(minor)") }
            isComplete = major & CGSSAPI_GSS_S_CONTINUE_NEEDED == 0
            if isComplete, let name = unsafe name { client = unsafe Acceptor.text(name) }
            return unsafe Array(UnsafeRawBufferPointer(start: output.value, count: output.length))
        }

        private static func text(_ name: gss_name_t) -> String {
            var buffer = unsafe gss_buffer_desc()
            var minor: OM_uint32 = 0
            guard unsafe gss_display_name(&minor, name, &buffer, nil) == CGSSAPI_GSS_S_COMPLETE else { return "" }
            defer { unsafe gss_release_buffer(&minor, &buffer) }
            return unsafe String(
                decoding: UnsafeRawBufferPointer(start: buffer.value, count: buffer.length),
                as: UTF8.self
            )
        }

        private static func lend<R>(_ bytes: [UInt8], _ body: (gss_buffer_t) -> R) -> R {
            unsafe bytes.withUnsafeBytes { bytes in
                var buffer = unsafe gss_buffer_desc(
                    length: bytes.count,
                    value: UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                )
                return unsafe body(&buffer)
            }
        }
    }
#endif
