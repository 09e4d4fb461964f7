import Glibc
import Support
import Testing

/// What many handshakes leave behind.
@Suite struct SecureMemoryTests {
    private static let authority = Result { try TestAuthority() }

    /// How many handshakes are made: `TEST_HANDSHAKES`, or what takes some seconds.
    private static let handshakes: Int = {
        let text = unsafe getenv("TEST_HANDSHAKES").map { unsafe String(cString: $0) }
        return text.flatMap { Int($0) } ?? 4000
    }()

    @Test(
        "T-8 the memory of the proxy stays as it is over many handshakes, full ones and resumed ones",
        arguments: ["TLSv1.2", "TLSv1.3"],
        [true, false]
    )
    func flat(_ version: String, isResuming: Bool) throws {
        let root = try Self.authority.get()
        let server = try root.leaf("localhost", names: "DNS:localhost")
        let nginx = try Nginx(server, asks: true, protocols: version, isResuming: isResuming)
        let own = try root.leaf("me", names: "DNS:me.test", purpose: .client)
        let proxy = try RunningProxy(
            """
            credentials: { me: { certificate: \(own.certificate), private_key: { file: \(own.key) } } }
            rules: [{ space: { host: localhost, port: \(nginx.port), protocol: https }, use: me }]
            trust: [{ host: localhost, anchors: { file: \(root.certificate) } }]
            log: { access: false }

            """,
            workers: 1
        )
        let client = try proxy.connect()
        let target = "https://\(nginx.authority)/close/index.html"
        let text = request("GET \(target) HTTP/1.1", ["Host: \(nginx.authority)"])
        func shakeHands(_ count: Int) throws {
            for _ in 0..<count { #expect(try client.exchange(text).status == 200) }
        }
        let count = Self.handshakes / 4
        try shakeHands(count / 3)
        let before = try proxy.process.memory()
        try shakeHands(count)
        let grown = try proxy.process.memory() - before
        // A leak of one certificate or session would be some kilobytes a handshake.
        let bound = try proxy.process.isInstrumented ? 8192 : 256
        #expect(grown < bound, "\(grown) kB in \(count) handshakes")
        let seen = try nginx.log.wait(for: count + count / 3).suffix(count)
        #expect(seen.allSatisfy { $0.authorization.hasPrefix(isResuming ? "r" : ".") })
    }
}
