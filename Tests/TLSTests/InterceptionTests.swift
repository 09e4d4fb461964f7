import Bytes
import COpenSSL
import Testing
import Trust

@testable import TLS

struct InterceptionTests {
    private let authority: CertificateAuthority
    private let context: TLSContext

    init() throws {
        authority = try CertificateAuthority.make(name: "countersign test", constraints: [], now: noon)
        context = try TLSContext()
    }

    /// A client of OpenSSL's own calls, that trusts the authority and offers `protocols`.
    @safe private final class Client {
        let raw: OpaquePointer
        let ssl: OpaquePointer
        var isDone = false
        var failure: String?

        init(_ authority: CertificateAuthority, _ end: BIOPair.End, host: String, protocols: [String]) {
            unsafe raw = SSL_CTX_new(TLS_client_method())
            unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), authority.certificate.raw)
            unsafe SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
            let parameters = unsafe SSL_CTX_get0_param(raw)
            unsafe X509_VERIFY_PARAM_set_time(parameters, Int(noon))
            unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_X509_STRICT))
            unsafe X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count)
            unsafe ssl = SSL_new(raw)
            _ = unsafe COpenSSL_SSL_set_tlsext_host_name(ssl, host)
            let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            if !list.isEmpty { unsafe SSL_set_alpn_protos(ssl, list, UInt32(list.count)) }
            unsafe SSL_set_connect_state(ssl)
            unsafe BIO_up_ref(end.raw)
            unsafe SSL_set_bio(ssl, end.raw, end.raw)
        }

        func handshake() {
            guard !isDone, failure == nil else { return }
            ERR_clear_error()
            let status = unsafe SSL_do_handshake(ssl)
            isDone = status == 1
            if unsafe SSL_get_error(ssl, status) == SSL_ERROR_SSL {
                failure = unsafe String(cString: ERR_reason_error_string(ERR_peek_error()))
            }
            ERR_clear_error()
        }

        var chosen: String? {
            var data: UnsafePointer<UInt8>?
            var count: UInt32 = 0
            unsafe SSL_get0_alpn_selected(ssl, &data, &count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: UnsafeBufferPointer(start: data, count: Int(count)), as: UTF8.self)
        }

        deinit {
            unsafe SSL_free(ssl)
            unsafe SSL_CTX_free(raw)
        }
    }

    private func meet(
        _ protocols: [String],
        leafFor name: String = "origin.example.test",
        as leaf: MintedLeaf? = nil,
        resuming earlier: Client? = nil
    ) throws -> (TLSSession, Client, TLSHandshakeResult) {
        let pair = try BIOPair()
        let leaf = try leaf ?? authority.mint(for: .name(name), now: noon)
        let server = try TLSSession(context, as: leaf, over: .pair(pair.second))
        let client = Client(authority, pair.first, host: "origin.example.test", protocols: protocols)
        if let earlier {
            // Whose certificate it is doesn't matter here.
            unsafe SSL_set_verify(client.ssl, SSL_VERIFY_NONE, nil)
            unsafe SSL_set_session(client.ssl, SSL_get_session(earlier.ssl))
        }
        var result = TLSHandshakeResult.wantsRead
        for _ in 0..<10 {
            client.handshake()
            if case .failed = result { continue }
            result = server.handshake()
        }
        return (server, client, result)
    }

    @Test("I-1 a client that trusts the authority trusts its leaf, and gets http/1.1 if it offers that or nothing")
    func protocols() throws {
        for (offered, chosen) in [(["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"), ([], nil)] {
            let (server, client, result) = try meet(offered)
            guard case .complete = result else { throw Unexpected("no handshake") }
            #expect(client.isDone)
            #expect(client.failure == nil)
            #expect(client.chosen == chosen)
            #expect(server.negotiatedVersion == .v13)
            let text = Array("hello".utf8)
            unsafe #expect(SSL_write(client.ssl, text, Int32(text.count)) == Int32(text.count))
            var buffer = ByteBuffer()
            guard case .bytes(5) = server.read(into: &buffer, limit: 100) else { throw Unexpected("not read") }
            #expect(String(buffer.readable) == "hello")
        }
    }

    @Test("I-1 a client that offers other protocols only is told that there is none")
    func otherProtocols() throws {
        for offered in [["h2"], ["http/1.0", "h3"], ["http/1.10"], ["ttp/1.1"]] {
            let (_, client, result) = try meet(offered)
            guard case .failed = result else { throw Unexpected("a handshake") }
            #expect(client.failure == "tlsv1 alert no application protocol")
        }
    }

    @Test(
        "I-1 a session of one leaf's client is resumed under that leaf, and under no other",
        arguments: [true, false]
    )
    func resumed(_ isSame: Bool) throws {
        let leaf = try authority.mint(for: .name("origin.example.test"), now: noon)
        let (server, client, _) = try meet([], as: leaf)
        guard case .wrote = server.write(Array("hello".utf8).span) else { throw Unexpected("not written") }
        var answer = [UInt8](repeating: 0, count: 16)
        unsafe #expect(SSL_read(client.ssl, &answer, 16) == 5)
        let other = try authority.mint(for: .name("other.example.test"), now: noon)
        let (again, next, result) = try meet([], as: isSame ? leaf : other, resuming: client)
        guard case .complete = result else { throw Unexpected("no handshake") }
        #expect(again.isResumed == isSame)
        withExtendedLifetime(next) {}
    }

    @Test("a client's refusal of the leaf is told by its alert")
    func refused() throws {
        let (server, client, result) = try meet([], leafFor: "other.example.test")
        #expect(client.failure == "certificate verify failed")
        // The alert comes with the handshake's last flight, or behind it.
        if case .failed(let error) = result {
            #expect(error.isCertificateRefusal)
        } else {
            var buffer = ByteBuffer()
            guard case .failed(let error) = server.read(into: &buffer, limit: 1) else { throw Unexpected("no alert") }
            #expect(error.isCertificateRefusal)
        }
    }

    @Test("a context for clients makes no session with a server, nor the other way round")
    func roles() throws {
        let pair = try BIOPair()
        #expect(throws: TLSError.self) {
            try TLSSession(context, to: .name("a.test"), over: .pair(pair.first), now: noon)
        }
        let outward = try TestPolicy.context(anchors: [.root()])
        let leaf = try authority.mint(for: .name("a.test"), now: noon)
        #expect(throws: TLSError.self) { try TLSSession(outward, as: leaf, over: .pair(pair.first)) }
    }
}
