import COpenSSL
import Testing
import Trust

@testable import TLS

struct ClientCertificateTests {
    private let root = TestCertificate.root()
    private let clientRoot = TestCertificate.root("Client Root")
    private let identity: ClientIdentity

    init() throws {
        let middle = TestCertificate.authority("Client Middle", issuer: clientRoot)
        let own = TestCertificate.server(nil, issuer: middle, purpose: "clientAuth") { $0.subject = "me" }
        identity = try ClientIdentity(own.pem + middle.pem, own.keyPEM)
    }

    private func server(_ change: (inout TestServer.Terms) -> Void = { _ in }) -> TestServerContext {
        var terms = TestServer.Terms()
        terms.chain = [.server(issuer: root)]
        change(&terms)
        return TestServerContext(terms)
    }

    private func context(_ identity: ClientIdentity?) throws -> TLSContext {
        try TestPolicy.context(anchors: [root], identity: identity)
    }

    @Test(
        "T-6 a client certificate is shown to a server that asks for one of its issuers",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION]
    )
    func issuers(version: Int32) throws {
        let stranger = TestCertificate.root("Stranger")
        let middle = TestCertificate.root("Client Middle")
        let cases: [([TestCertificate], Bool)] = [
            ([], true), ([clientRoot], true), ([middle], true), ([stranger, clientRoot], true), ([stranger], false),
        ]
        for (authorities, isShown) in cases {
            let asking = server {
                $0.maximum = version
                $0.clientAuthorities = authorities
            }
            let connection = try Connection(context(identity), asking).shakeHands()
            #expect(connection.isComplete)
            #expect(connection.client.askedForCertificate)
            #expect(connection.client.hasOfferedCertificate == isShown)
            #expect(connection.server.clientSubject == (isShown ? "CN=me" : nil))
        }
    }

    @Test("T-6 a server that asks for nothing is shown nothing, and one that asks without a rule is told in the facts")
    func unasked() throws {
        let quiet = try Connection(context(identity), server()).shakeHands()
        #expect(quiet.isComplete)
        #expect(!quiet.client.askedForCertificate)
        #expect(quiet.server.clientSubject == nil)
        let asking = try Connection(context(nil), server { $0.clientAuthorities = [] }).shakeHands()
        #expect(asking.isComplete)
        #expect(asking.client.askedForCertificate)
        #expect(!asking.client.hasOfferedCertificate)
    }

    @Test("T-6 the chain goes along with the certificate")
    func chain() throws {
        let connection = try Connection(context(identity), server { $0.clientAuthorities = [] }).shakeHands()
        let received = unsafe SSL_get_peer_cert_chain(connection.server.ssl)
        let sent = unsafe try #require(received)
        let subjects = unsafe CertificateStack.elements(of: sent).map(\.facts.subject)
        #expect(subjects == ["CN=Client Middle"] || subjects == ["CN=me", "CN=Client Middle"])
    }

    @Test("T-6 a certificate that the server refuses is an authentication failure, in TLS 1.3 after the handshake")
    func refused() throws {
        for (identity, code) in [(identity, "tls.certificate-refused"), (nil, "tls.certificate-required")] {
            let refusing = server {
                $0.clientAuthorities = []
                $0.refusesClient = true
            }
            let connection = try Connection(context(identity), refusing).shakeHands()
            #expect(connection.isComplete)
            guard case .failed(let error) = connection.read().0 else { throw Unexpected("no alert") }
            #expect(error.isCertificateRefusal)
            #expect(error.source == .peer)
            #expect(error.reasonCode == code)
        }
        let older = server {
            $0.maximum = TLS1_2_VERSION
            $0.clientAuthorities = []
            $0.refusesClient = true
        }
        let connection = try Connection(context(identity), older).shakeHands()
        #expect(connection.error?.isCertificateRefusal == true)
        #expect(connection.error?.reasonCode == "tls.certificate-refused")
    }

    @Test("T-9 a TLS 1.3 server that asks after the handshake is shown the certificate where there is one")
    func postHandshake() throws {
        let connection = try Connection(context(identity), server()).shakeHands()
        unsafe SSL_set_verify(connection.server.ssl, SSL_VERIFY_PEER, { _, _ in 1 })
        unsafe #expect(SSL_verify_client_post_handshake(connection.server.ssl) == 1)
        _ = unsafe SSL_do_handshake(connection.server.ssl)
        guard case .wantsRead = connection.read().0 else { throw Unexpected("not answered") }
        _ = connection.server.read()
        #expect(connection.server.clientSubject == "CN=me")
        #expect(connection.client.askedForCertificate)
        connection.server.write(Array("in".utf8))
        #expect(connection.read().1 == Array("in".utf8))
        // Without one the server hears in its ClientHello that it needn't ask.
        let without = try Connection(context(nil), server()).shakeHands()
        unsafe SSL_set_verify(without.server.ssl, SSL_VERIFY_PEER, { _, _ in 1 })
        unsafe #expect(SSL_verify_client_post_handshake(without.server.ssl) == 0)
        ERR_clear_error()
    }

    @Test("T-9 a renegotiation is gone along with where there is a certificate for it")
    func renegotiation() throws {
        let connection = try Connection(context(identity), server { $0.maximum = TLS1_2_VERSION }).shakeHands()
        // As Apache does: SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION, lest the first session is just resumed.
        _ = unsafe SSL_set_options(connection.server.ssl, 1 << 16)
        unsafe SSL_set_verify(connection.server.ssl, SSL_VERIFY_PEER, { _, _ in 1 })
        unsafe #expect(SSL_renegotiate(connection.server.ssl) == 1)
        for _ in 0..<10 {
            _ = unsafe SSL_do_handshake(connection.server.ssl)
            guard case .wantsRead = connection.read().0 else { throw Unexpected("not gone along with") }
            _ = connection.server.read()
        }
        #expect(connection.server.clientSubject == "CN=me")
        #expect(connection.client.decision?.isAccepted == true)
        connection.server.write(Array("in".utf8))
        #expect(connection.read().1 == Array("in".utf8))
    }

    @Test("T-9 a renegotiation fails at once, with the reason, where there is no certificate for it")
    func renegotiationRefused() throws {
        let connection = try Connection(context(nil), server { $0.maximum = TLS1_2_VERSION }).shakeHands()
        // What was said before it is still heard.
        connection.server.write([1, 2])
        unsafe #expect(SSL_renegotiate(connection.server.ssl) == 1)
        _ = unsafe SSL_do_handshake(connection.server.ssl)
        #expect(connection.read().1 == [1, 2])
        guard case .failed(let error) = connection.read().0 else { throw Unexpected("no failure") }
        #expect(error.kind == .renegotiationRefused)
        #expect(error.reasonCode == "tls.renegotiation-refused")
        guard case .failed = connection.write([1]) else { throw Unexpected("written") }
    }
}
