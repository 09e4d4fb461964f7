import COpenSSL
import Testing
import Trust

@testable import TLS

struct TLSSessionCacheTests {
    private let root = TestCertificate.root()
    private let key = TLSSessionKey([1])

    private func server(_ version: Int32) -> TestServerContext {
        var terms = TestServer.Terms()
        terms.chain = [.server(issuer: root)]
        terms.maximum = version
        return TestServerContext(terms)
    }

    /// A connection on which a byte has come, so that the server's tickets have been read.
    private func used(
        _ context: TLSContext,
        _ server: TestServerContext,
        _ sessions: TLSSessionCache,
        _ key: TLSSessionKey?,
        now: Int64 = noon
    ) throws -> Connection {
        let connection = try Connection(context, server, sessions: sessions, key: key, now: now).shakeHands()
        #expect(connection.isComplete)
        connection.server.write([1])
        #expect(connection.read().1 == [1])
        return connection
    }

    @Test(
        "T-8 a session is resumed under its own key, with the verdict and the path of the first",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION]
    )
    func resumed(version: Int32) throws {
        let context = try TestPolicy.context(anchors: [root]) { $0.pinning = .observe }
        let server = server(version)
        let sessions = TLSSessionCache()
        let first = try used(context, server, sessions, key)
        #expect(!first.client.isResumed)
        for _ in 0..<3 {
            let next = try used(context, server, sessions, key)
            #expect(next.client.isResumed)
            #expect(next.client.peerPath == first.client.peerPath)
            #expect(next.client.peerPath.count == 2)
            #expect(next.client.channelBinding == first.client.channelBinding)
            guard case .acceptAndReport(let failure)? = next.client.decision else {
                throw Unexpected("another verdict")
            }
            #expect(failure.kind == .observed)
        }
    }

    @Test("T-5 a session is never resumed under another key, nor where there is no key")
    func otherKey() throws {
        let context = try TestPolicy.context(anchors: [root])
        let server = server(TLS1_3_VERSION)
        let sessions = TLSSessionCache()
        _ = try used(context, server, sessions, key)
        #expect(try !used(context, server, sessions, TLSSessionKey([2])).client.isResumed)
        #expect(try !used(context, server, sessions, nil).client.isResumed)
        #expect(try !used(context, server, TLSSessionCache(), key).client.isResumed)
        #expect(try used(context, server, sessions, key).client.isResumed)
    }

    @Test("T-11 a session that came on a connection older than a change of the rules isn't resumed under them")
    func otherContext() throws {
        let context = try TestPolicy.context(anchors: [root])
        let changed = try TestPolicy.context(anchors: [root])
        let server = server(TLS1_3_VERSION)
        let sessions = TLSSessionCache()
        let old = try Connection(context, server, sessions: sessions, key: key).shakeHands()
        sessions.removeAll()
        // Its tickets are read only now.
        old.server.write([1])
        #expect(old.read().1 == [1])
        #expect(sessions.count == 2)
        #expect(try !used(changed, server, sessions, key).client.isResumed)
    }

    @Test("T-8 a session isn't resumed once a certificate of its path has ended")
    func ended() throws {
        let context = try TestPolicy.context(anchors: [root])
        let server = server(TLS1_3_VERSION)
        let sessions = TLSSessionCache()
        _ = try used(context, server, sessions, key)
        let late = try Connection(context, server, sessions: sessions, key: key, now: noon + 31 * day).shakeHands()
        #expect(!late.client.isResumed)
        #expect(late.refusal == "chain.expired")
    }

    @Test("T-8 nothing is kept of a server that was refused")
    func refused() throws {
        let context = try TestPolicy.context(anchors: [.root("Other")])
        let sessions = TLSSessionCache()
        let connection = try Connection(context, server(TLS1_3_VERSION), sessions: sessions, key: key).shakeHands()
        #expect(connection.refusal == "chain.untrusted")
        #expect(sessions.count == 0)
    }

    @Test("T-8 a server that no longer knows the session is judged anew")
    func forgotten() throws {
        let context = try TestPolicy.context(anchors: [root])
        let sessions = TLSSessionCache()
        _ = try used(context, server(TLS1_3_VERSION), sessions, key)
        let again = try used(context, server(TLS1_3_VERSION), sessions, key)
        #expect(!again.client.isResumed)
        #expect(again.client.peerPath.count == 2)
        var wrong = TestServer.Terms()
        wrong.chain = [.server("DNS:other.example.test", issuer: root)]
        let other = try Connection(context, TestServerContext(wrong), sessions: sessions, key: key).shakeHands()
        #expect(other.refusal == "host.mismatch")
    }

    @Test("T-8 a TLS 1.3 ticket is used once")
    func onlyOnce() throws {
        let context = try TestPolicy.context(anchors: [root])
        let server = server(TLS1_3_VERSION)
        let sessions = TLSSessionCache()
        _ = try used(context, server, sessions, key)
        // Two tickets came, for three connections that are opened at once.
        let connections = try (0..<3).map { _ in try Connection(context, server, sessions: sessions, key: key) }
        let resumed = connections.map { $0.shakeHands().client.isResumed }
        #expect(resumed == [true, true, false])
    }

    @Test("T-8 as many connections as had a ticket each resume at once")
    func atOnce() throws {
        let context = try TestPolicy.context(anchors: [root])
        let server = server(TLS1_3_VERSION)
        let sessions = TLSSessionCache()
        let first = try (0..<10).map { _ in try Connection(context, server, sessions: sessions, key: key) }
        for connection in first {
            _ = connection.shakeHands()
            connection.server.write([1])
            #expect(connection.read().1 == [1])
        }
        let second = try (0..<10).map { _ in try Connection(context, server, sessions: sessions, key: key) }
        #expect(second.allSatisfy { $0.shakeHands().client.isResumed })
    }

    @Test("T-8 the cache is bounded by sessions, however many tickets each server gives")
    func boundedSessions() throws {
        let context = try TestPolicy.context(anchors: [root])
        let server = server(TLS1_3_VERSION)
        let sessions = TLSSessionCache(capacity: 16)
        for index in 0..<40 {
            // Each connection brings two tickets, and takes one where there is one.
            _ = try used(context, server, sessions, TLSSessionKey([UInt8(index * index % 7)]))
            #expect(sessions.count <= 16)
        }
        #expect(sessions.count > 4)
    }

    @Test("T-8 the cache forgets the keys that were not used for longest")
    func bounded() throws {
        let context = try TestPolicy.context(anchors: [root])
        let server = server(TLS1_2_VERSION)
        let sessions = TLSSessionCache(capacity: 8)
        for index in 0..<20 {
            _ = try used(context, server, sessions, TLSSessionKey([UInt8(index)]))
            #expect(sessions.count <= 8)
        }
        #expect(try used(context, server, sessions, TLSSessionKey([19])).client.isResumed)
        #expect(try !used(context, server, sessions, TLSSessionKey([0])).client.isResumed)
        sessions.removeAll()
        #expect(try !used(context, server, sessions, TLSSessionKey([19])).client.isResumed)
    }
}
