import Bytes
import COpenSSL
import Crypto
import Glibc
import Testing
import Trust

@testable import TLS

struct TLSSessionTests {
    private let root = TestCertificate.root()

    private func server(_ change: (inout TestServer.Terms) -> Void = { _ in }) -> TestServerContext {
        var terms = TestServer.Terms()
        terms.chain = [.server(issuer: root)]
        change(&terms)
        return TestServerContext(terms)
    }

    @Test("bytes go both ways, also more of them than the pair holds", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func bytes(version: Int32) throws {
        let context = try TestPolicy.context(anchors: [root])
        let connection = try Connection(context, server { $0.maximum = version }).shakeHands()
        #expect(connection.isComplete)
        #expect(connection.client.negotiatedVersion == (version == TLS1_2_VERSION ? .v12 : .v13))
        #expect(connection.server.serverName == "origin.example.test")
        let sent = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        var start = 0
        var received: [UInt8] = []
        for _ in 0..<1000 where received.count < sent.count {
            if start < sent.count, case .wrote(let count) = connection.write(Array(sent[start...])) { start += count }
            received += connection.server.read()
        }
        #expect(received == sent)
        connection.server.write(Array("answer".utf8))
        #expect(connection.read().1 == Array("answer".utf8))
        #expect(!connection.client.hasPending)
        guard case .wantsRead = connection.read().0 else { throw Unexpected("more bytes") }
        // A reader with little room finds the rest the next time.
        connection.server.write(Array("answer".utf8))
        #expect(connection.read(limit: 2).1 == Array("an".utf8))
        #expect(connection.client.hasPending)
        var buffer = ByteBuffer()
        guard case .bytes(4) = connection.client.read(into: &buffer, limit: 100) else { throw Unexpected("no rest") }
        #expect(String(buffer.readable) == "swer")
    }

    @Test("S-2 the beginning of a record is nothing that waits to be read, and an end behind bytes is")
    func beginning() throws {
        let connection = try Connection(TestPolicy.context(anchors: [root]), server()).shakeHands()
        connection.server.write(Array("answer".utf8))
        connection.cutOffWithinRecord()
        #expect(connection.read(limit: 4).1 == Array("answ".utf8))
        #expect(connection.client.hasPending)
        #expect(connection.read().1 == Array("er".utf8))
        #expect(connection.client.hasPending)
        guard case .truncated = connection.read().0 else { throw Unexpected("no end") }
        #expect(!connection.client.hasPending)
        let half = try Connection(TestPolicy.context(anchors: [root]), server()).shakeHands()
        half.sendBeginningOfRecord()
        guard case .wantsRead = half.read().0 else { throw Unexpected("a record") }
        #expect(!half.client.hasPending)
    }

    @Test("S-2 a server that gives tickets without end is given up, and a read takes no more than has been read")
    func tickets() throws {
        let few = try Connection(TestPolicy.context(anchors: [root]), server()).shakeHands()
        few.server.giveTickets(20)
        few.server.write(Array("answer".utf8))
        #expect(few.read().1 == Array("answer".utf8))
        let many = try Connection(TestPolicy.context(anchors: [root]), server()).shakeHands()
        many.server.giveTickets(200)
        var reads = 0
        var error: TLSError?
        while reads < 100, error == nil {
            if case .failed(let failure) = many.read().0 { error = failure }
            reads += 1
        }
        #expect(error?.kind == .protocolViolation)
        // What one read of OpenSSL's takes from its transport is at most 17 KiB.
        #expect(reads > 1)
    }

    @Test("S-2 a peer that changes its keys without end is given up, one that does so now and then is not")
    func keyUpdates() throws {
        let connection = try Connection(TestPolicy.context(anchors: [root]), server()).shakeHands()
        for _ in 0..<5 {
            connection.server.changeKeys(100)
            connection.server.write(Array("answer".utf8))
            var bytes: [UInt8] = []
            for _ in 0..<100 where bytes.isEmpty { bytes = connection.read().1 }
            #expect(bytes == Array("answer".utf8))
            _ = connection.server.read()
        }
        var error: TLSError?
        for _ in 0..<1000 where error == nil {
            connection.server.changeKeys(100)
            if case .failed(let failure) = connection.read().0 { error = failure }
            _ = connection.server.read()
        }
        #expect(error?.kind == .protocolViolation)
    }

    @Test("S-2 a server that floods a handshake holds up no call, and is given up", arguments: [9, 16 * 1024])
    func floodedHandshake(_ size: Int) throws {
        let pair = try BIOPair()
        let context = try TestPolicy.context(anchors: [root])
        let client = try TLSSession(context, to: .name("origin.example.test"), over: .pair(pair.first), now: noon)
        // A record of HelloRequests, which a client skips while its handshake is under way [RFC 5246 s.7.4.1.1].
        let content = [UInt8](repeating: 0, count: size - 5)
        let record = [22, 3, 3, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
        var flood: [UInt8] = []
        while flood.count < 1 << 17 { flood += record }
        var sent = 0
        var error: TLSError?
        for _ in 0..<1000 where error == nil {
            sent += pair.second.write(flood.span.extracting((sent % flood.count)...))
            let before = pair.first.waitingCount
            if case .failed(let failure) = client.handshake() { error = failure }
            #expect(before - pair.first.waitingCount <= 80 * 1024)
        }
        #expect(error?.kind == .protocolViolation)
        #expect(sent < 1 << 20)
    }

    @Test("what fits isn't written in part, and nothing is taken where there is no room")
    func room() throws {
        let connection = try Connection(TestPolicy.context(anchors: [root]), server()).shakeHands()
        let block = [UInt8](repeating: 1, count: 1 << 14)
        var total = 0
        for _ in 0..<100 {
            guard case .wrote(let count) = connection.write(block) else { break }
            total += count
        }
        guard case .wantsWrite = connection.write(block) else { throw Unexpected("room without end") }
        var received = 0
        for _ in 0..<100 {
            received += connection.server.read().count
            if case .wrote(let count) = connection.write(block) { total += count }
            if received >= total { break }
        }
        received += connection.server.read().count
        #expect(received == total)
    }

    @Test("a close that was announced is an end, one that wasn't is told")
    func end() throws {
        let context = try TestPolicy.context(anchors: [root])
        let announced = try Connection(context, server()).shakeHands()
        announced.server.write([1, 2])
        unsafe SSL_shutdown(announced.server.ssl)
        // Its transport stays open, so that nobody would come to read again but for what is pending.
        #expect(announced.read().1 == [1, 2])
        #expect(announced.client.hasPending)
        guard case .endOfFile = announced.read().0 else { throw Unexpected("no end") }
        #expect(!announced.client.hasPending)
        let cut = try Connection(context, server()).shakeHands()
        cut.server.write([1, 2])
        cut.cutOff()
        #expect(cut.read().1 == [1, 2])
        guard case .truncated = cut.read().0 else { throw Unexpected("not truncated") }
        // An end that is met behind bytes of the same read is told by the next, and stays what it was.
        let torn = try Connection(context, server()).shakeHands()
        torn.server.write([1, 2])
        torn.cutOffWithinRecord()
        #expect(torn.read().1 == [1, 2])
        for _ in 0..<2 {
            guard case .truncated = torn.read().0 else { throw Unexpected("not truncated") }
        }
        let ours = try Connection(context, server()).shakeHands()
        ours.client.shutdown()
        _ = ours.server.read()
        unsafe #expect(SSL_get_shutdown(ours.server.ssl) & SSL_RECEIVED_SHUTDOWN != 0)
    }

    @Test("a handshake that the server breaks off is told as closed")
    func closed() throws {
        let connection = try Connection(TestPolicy.context(anchors: [root]), server())
        _ = connection.client.handshake()
        connection.cutOff()
        connection.shakeHands()
        #expect(connection.error?.kind == .closed)
        #expect(connection.error?.reasonCode == "tls.closed")
    }

    @Test("a server of TLS 1.0 is refused by its version")
    func oldVersion() throws {
        let old = server {
            $0.minimum = TLS1_VERSION
            $0.maximum = TLS1_VERSION
        }
        let connection = try Connection(TestPolicy.context(anchors: [root]), old).shakeHands()
        #expect(connection.error?.reasonCode == "tls.version")
        #expect(connection.client.decision == nil)
        let new = try TestPolicy.context(anchors: [root]) { $0.minimumVersion = .v13 }
        #expect(
            try Connection(new, server { $0.maximum = TLS1_2_VERSION }).shakeHands().error?.reasonCode == "tls.version"
        )
        let capped = try TestPolicy.context(anchors: [root]) { $0.maximumVersion = .v12 }
        #expect(try Connection(capped, server()).shakeHands().client.negotiatedVersion == .v12)
    }

    @Test("a server that speaks no TLS is told as such")
    func notTLS() throws {
        let pair = try BIOPair()
        let context = try TestPolicy.context(anchors: [root])
        let client = try TLSSession(context, to: .name("origin.example.test"), over: .pair(pair.first), now: noon)
        _ = client.handshake()
        let text = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        unsafe #expect(BIO_write(pair.second.raw, text, Int32(text.count)) == Int32(text.count))
        guard case .failed(let error) = client.handshake() else { throw Unexpected("no failure") }
        #expect(error.kind == .notTLS)
        #expect(!error.entries.isEmpty)
        #expect(ERR_peek_error() == 0)
    }

    @Test("ciphers and groups are the policy's, by OpenSSL's names; what is none is an error")
    func ciphers() throws {
        let suites = try TestPolicy.context(anchors: [root]) {
            $0.ciphers = "TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES256-GCM-SHA384"
            $0.groups = "P-256:P-384"
        }
        for (version, name) in [
            (TLS1_2_VERSION, "ECDHE-ECDSA-AES256-GCM-SHA384"), (TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"),
        ] {
            let connection = try Connection(suites, server { $0.maximum = version }).shakeHands()
            // SSL_get_negotiated_group; without the list it would be X25519.
            #expect(unsafe SSL_ctrl(connection.server.ssl, 134, 0, nil) == Int(NID_X9_62_prime256v1))
            #expect(connection.isComplete)
            unsafe #expect(String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(connection.server.ssl))) == name)
        }
        for (ciphers, groups) in [("NO-SUCH", nil), ("TLS_NO_SUCH", nil), (nil, "no-such")] as [(String?, String?)] {
            let error = #expect(throws: TLSError.self) {
                try TestPolicy.context(anchors: [root]) {
                    $0.ciphers = ciphers
                    $0.groups = groups
                }
            }
            #expect(error?.kind == .material)
        }
        // A list can't lower the level of T-1.
        let weak = try TestPolicy.context(anchors: [root]) { $0.ciphers = "ALL:@SECLEVEL=0" }
        let small = server { $0.chain = [.server(issuer: root) { $0.key = .rsa1024 }] }
        #expect(try Connection(weak, small).shakeHands().refusal == "chain.weak-key")
    }

    @Test(
        "C-4 the channel binding is the hash of the server's certificate by its signature's own",
        arguments: ["SHA256", "SHA384", "SHA1"]
    )
    func channelBinding(digest: String) throws {
        let leaf = TestCertificate.server(issuer: root) { $0.digest = digest }
        // A certificate signed over SHA-1 is accepted as an anchor of its own only.
        let context = try TestPolicy.context(anchors: [digest == "SHA1" ? leaf : root])
        let connection = try Connection(context, server { $0.chain = [leaf] }).shakeHands()
        #expect(connection.isComplete)
        var hash = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        let used = digest == "SHA1" ? "SHA256" : digest
        unsafe X509_digest(leaf.raw, EVP_get_digestbyname(used), &hash, &count)
        #expect(connection.client.channelBinding == Array("tls-server-end-point:".utf8) + hash.prefix(Int(count)))
    }

    @Test("a session is of no use before its handshake")
    func unopened() throws {
        let connection = try Connection(TestPolicy.context(anchors: [root]), server())
        guard case .failed = connection.write([1]) else { throw Unexpected("written") }
        guard case .failed = connection.read().0 else { throw Unexpected("read") }
        #expect(connection.client.decision == nil)
    }

    @Test("a session reads and writes a socket")
    func socket() throws {
        var ends: [Int32] = [0, 0]
        unsafe #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        // As the process does that these sessions are for.
        _ = signal(SIGPIPE, SIG_IGN)
        defer { for end in ends { close(end) } }
        let authority = try CertificateAuthority.make(name: "test", constraints: [], now: noon)
        let leaf = try authority.mint(for: .name("origin.example.test"), now: noon)
        var terms = TrustPolicy.Terms()
        terms.anchors = [.file(name: "a", pem: try authority.certificate.pem)]
        let context = try TLSContext(
            policy: TrustPolicy(name: "t", terms: terms),
            systemAnchors: TestPolicy.systemAnchors
        )
        let client = try TLSSession(context, to: .name("origin.example.test"), over: .descriptor(ends[0]), now: noon)
        let server = try TLSSession(TLSContext(), as: leaf, over: .descriptor(ends[1]))
        for _ in 0..<10 {
            _ = client.handshake()
            _ = server.handshake()
        }
        guard case .complete = client.handshake(), case .complete = server.handshake() else {
            throw Unexpected("no handshake")
        }
        let text = Array("over a socket".utf8)
        guard case .wrote(text.count) = client.write(text.span) else { throw Unexpected("not written") }
        var buffer = ByteBuffer()
        guard case .bytes(text.count) = server.read(into: &buffer, limit: 100) else { throw Unexpected("not read") }
        #expect(!server.hasPending)
        guard case .wantsRead = server.read(into: &buffer, limit: 100) else { throw Unexpected("more") }
        // What the peer has said is read, although nothing can be written to it any more.
        guard case .wrote(text.count) = client.write(text.span) else { throw Unexpected("not written") }
        shutdown(ends[0], Int32(SHUT_RDWR))
        guard case .failed(let error) = server.write(text.span), error.kind == .system(EPIPE) else {
            throw Unexpected("written")
        }
        guard case .bytes(text.count) = server.read(into: &buffer, limit: 100) else { throw Unexpected("not read") }
        guard case .truncated = server.read(into: &buffer, limit: 100) else { throw Unexpected("not truncated") }
    }

    @Test("a hundred handshakes leave nothing behind")
    func many() throws {
        let client = TestCertificate.server(nil, issuer: root, purpose: "clientAuth")
        let context = try TestPolicy.context(anchors: [root], identity: ClientIdentity(client.pem, client.keyPEM))
        let good = server { $0.clientAuthorities = [] }
        let bad = server { $0.chain = [.server("DNS:other.example.test", issuer: root)] }
        let sessions = TLSSessionCache()
        for index in 0..<100 {
            let key = TLSSessionKey([UInt8(index % 5)])
            let isGood = index % 4 != 3
            let connection = try Connection(context, isGood ? good : bad, sessions: sessions, key: key).shakeHands()
            #expect(connection.isComplete == isGood || connection.client.isResumed)
            connection.server.write([1])
            _ = connection.read()
        }
        // Two tickets for each of five keys.
        #expect(sessions.count <= 10)
    }
}

struct Unexpected: Error {
    let what: String
    init(_ what: String) { self.what = what }
}
