#if GSSAPI
    internal import CGSSAPI
    package import Crypto

    /// One handshake with one server; its calls block, and belong into a lane (C-3).
    @safe package struct SecurityContext: ~Copyable {
        /// What it speaks.
        package let mechanism: Mechanism
        /// Whether nothing more is to be said, and the peer has proven itself where the mechanism can do so.
        package private(set) var isComplete = false
        /// Kept for as long as the credential may look into it.
        private let tickets: Ticket.Place?
        private let credential: GSSCredential
        private let target: GSSName
        private let channelBinding: [UInt8]?
        private var raw: gss_ctx_id_t?

        /// A handshake by NTLM, by itself or inside SPNEGO.
        ///
        /// `channelBinding` is what RFC 5929 calls so, its prefix `tls-server-end-point:` included.
        package init(_ login: NTLMLogin, host: String, inSPNEGO: Bool, channelBinding: [UInt8]?) throws(GSSError) {
            let target = try GSSName(ServicePrincipalName(host: host))
            credential = try GSSCredential(login, inSPNEGO: inSPNEGO)
            self.target = target
            self.channelBinding = channelBinding
            tickets = nil
            mechanism = inSPNEGO ? .ntlmInNegotiate : .ntlm
        }

        /// A handshake by Kerberos inside SPNEGO; gets the ticket for the service first.
        ///
        /// Without `mayAskKDC` only tickets at hand are used.
        package init(
            _ login: KerberosLogin,
            service: ServicePrincipalName,
            channelBinding: [UInt8]?,
            mayAskKDC: Bool
        ) throws(GSSError) {
            let tickets = try login.ticket(for: service, mayAskKDC: mayAskKDC)
            let target = try GSSName(service)
            credential = try GSSCredential(cache: tickets.name)
            self.tickets = tickets
            self.target = target
            self.channelBinding = channelBinding
            mechanism = .kerberos
        }

        deinit {
            var context = unsafe raw
            var minor: OM_uint32 = 0
            if unsafe context != nil { _ = unsafe gss_delete_sec_context(&minor, &context, nil) }
        }

        /// Takes the peer's token, nil at the beginning, and gives the one to be sent, if any.
        package mutating func step(_ input: [UInt8]?) throws(GSSError) -> Secret? {
            var output = unsafe gss_buffer_desc()
            var minor: OM_uint32 = 0
            let token = try admitted(input)
            let major = unsafe advance(token, &output, &minor)
            defer { unsafe release(&output) }
            guard CGSSAPI_GSS_ERROR(major) == 0 else {
                throw failure(GSSStatus(major, minor), isFirst: input == nil)
            }
            isComplete = major & CGSSAPI_GSS_S_CONTINUE_NEEDED == 0
            guard unsafe output.length > 0 else { return nil }
            return unsafe Secret(UnsafeBufferPointer(bytes(of: output)).span)
        }

        /// The peer's token as the library can be given it.
        private func admitted(_ input: [UInt8]?) throws(GSSError) -> [UInt8]? {
            guard let input, mechanism != .kerberos else { return input }
            let token = Type2.normalized(input)
            guard Type2.isSafe(token) else {
                throw GSSError(.peer, "ntlm.invalid-challenge", "what the server sent is no NTLM challenge")
            }
            return token
        }

        private mutating func advance(
            _ input: [UInt8]?,
            _ output: inout gss_buffer_desc,
            _ minor: inout OM_uint32
        ) -> OM_uint32 {
            let flags = mechanism == .kerberos ? OM_uint32(GSS_C_MUTUAL_FLAG) : 0
            let name = unsafe object
            let token = input ?? []
            // There is no place for a binding then, and gss-ntlmssp fails where it gets one.
            let binding = mechanism != .kerberos && Type2.hasNoTargetInfo(token) ? nil : channelBinding
            return unsafe withBuffer(token) { input in
                unsafe withBindings(binding) { bindings in
                    unsafe gss_init_sec_context(
                        &minor,
                        credential.raw,
                        &raw,
                        target.raw,
                        name,
                        flags,
                        0,
                        bindings,
                        input,
                        nil,
                        &output,
                        nil,
                        nil
                    )
                }
            }
        }

        private var object: gss_OID {
            switch mechanism {
            case .ntlm: unsafe CGSSAPI_mechanism_ntlmssp()
            case .ntlmInNegotiate, .kerberos: unsafe CGSSAPI_mechanism_spnego()
            }
        }

        /// What a failed call means: at the beginning that there is no token, later that the peer's is none.
        private func failure(_ status: GSSStatus, isFirst: Bool) -> GSSError {
            if isFirst { return unsafe status.error(object) }
            let words = unsafe status.text(object)
            switch mechanism {
            case .kerberos:
                return GSSError(
                    .peer,
                    "negotiate.server-unproven",
                    "the server's token doesn't prove who it is; compare its keytab, its name and its clock: \(words)"
                )
            case .ntlm, .ntlmInNegotiate:
                return GSSError(.peer, "ntlm.invalid-challenge", "what the server sent is no NTLM challenge: \(words)")
            }
        }
    }

    /// Lends a channel binding [RFC 5929] in the form of GSSAPI's; nil stays nothing.
    private func withBindings<R>(_ binding: [UInt8]?, _ body: (gss_channel_bindings_t?) -> R) -> R {
        guard let binding else { return body(nil) }
        return unsafe withBuffer(binding) { data in
            var bindings = unsafe gss_channel_bindings_struct()
            unsafe bindings.application_data = data.pointee
            return unsafe body(&bindings)
        }
    }

    private func bytes(of buffer: gss_buffer_desc) -> UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(
            start: buffer.value?.assumingMemoryBound(to: UInt8.self),
            count: buffer.length
        )
    }

    /// Wipes and frees what a call gave.
    private func release(_ buffer: inout gss_buffer_desc) {
        if unsafe buffer.length > 0 {
            var span = unsafe MutableSpan(_unsafeElements: bytes(of: buffer))
            Wiping.wipe(&span)
        }
        var minor: OM_uint32 = 0
        _ = unsafe gss_release_buffer(&minor, &buffer)
    }
#endif
