import COpenSSL
import Crypto
import Testing
import Trust

@testable import TLS

/// One of our sessions and a test server, joined in memory.
final class Connection {
    let client: TLSSession
    let server: TestServer
    private let pair: BIOPair
    /// How our handshake ended.
    private(set) var error: TLSError?
    private(set) var isComplete = false

    init(
        _ context: TLSContext,
        _ serverContext: TestServerContext,
        to identity: ReferenceIdentity = .name("origin.example.test"),
        sessions: TLSSessionCache? = nil,
        key: TLSSessionKey? = nil,
        now: Int64 = noon
    ) throws {
        pair = try BIOPair()
        client = try TLSSession(context, to: identity, over: .pair(pair.first), sessions: sessions, key: key, now: now)
        server = TestServer(serverContext, over: pair.second)
    }

    /// Takes both handshakes as far as they go.
    @discardableResult
    func shakeHands() -> Self {
        for _ in 0..<20 {
            switch client.handshake() {
            case .complete: isComplete = true
            case .failed(let error): self.error = self.error ?? error
            case .wantsRead, .wantsWrite: break
            }
            let isServerDone = server.handshake()
            if error != nil || (isComplete && isServerDone) { break }
        }
        return self
    }

    /// The code of a refusal by the policy or of another failure; nil if the server was accepted.
    var refusal: String? {
        if case .reject(let failure)? = client.decision { return failure.reasonCode }
        return error?.reasonCode
    }

    /// Ends the server's direction without a word.
    func cutOff() { pair.second.shutdownWrite() }

    /// Ends the server's direction within a record.
    func cutOffWithinRecord() {
        sendBeginningOfRecord()
        cutOff()
    }

    /// Sends a part of a record in the server's name.
    func sendBeginningOfRecord() {
        let beginning: [UInt8] = [23, 3, 3, 0, 100, 1, 2, 3]
        #expect(unsafe BIO_write(pair.second.raw, beginning, Int32(beginning.count)) == Int32(beginning.count))
    }

    func read(limit: Int = 1 << 16) -> (TLSReadResult, [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: limit)
        var span = bytes.mutableSpan
        let result = client.read(into: &span)
        guard case .bytes(let count) = result else { return (result, []) }
        return (result, Array(bytes.prefix(count)))
    }

    func write(_ bytes: [UInt8]) -> TLSWriteResult { client.write(bytes.span) }
}

/// What a test's policy is made from.
enum TestPolicy {
    static let systemAnchors: SystemAnchors = {
        do { return try SystemAnchors() } catch { preconditionFailure("\(error)") }
    }()

    static func context(
        anchors: [TestCertificate],
        identity: ClientIdentity? = nil,
        _ change: (inout TrustPolicy.Terms) -> Void = { _ in }
    ) throws -> TLSContext {
        var terms = TrustPolicy.Terms()
        terms.anchors = [.file(name: "anchors.pem", pem: anchors.flatMap(\.pem))]
        if anchors.isEmpty { terms.anchors = [.system] }
        change(&terms)
        return try TLSContext(
            policy: TrustPolicy(name: "test", terms: terms),
            identity: identity,
            systemAnchors: systemAnchors
        )
    }

    static func pins(_ certificates: TestCertificate...) -> PinSet {
        PinSet(publicKeys: certificates.map(\.facts.publicKeyPin))
    }

    static func certificatePins(_ certificates: TestCertificate...) -> PinSet {
        PinSet(
            certificates: certificates.map {
                PinnedCertificate(
                    name: "pin.pem",
                    fingerprint: $0.facts.fingerprint,
                    publicKeyPin: $0.facts.publicKeyPin
                )
            }
        )
    }
}
