import Support
import Testing

/// Servers good and bad, of nginx and of OpenSSL's own program, met by the running proxy.
@Suite struct SecureMatrixTests {
    static let authority = Result { try TestAuthority() }

    @Test(
        "T-1 each server gets its verdict and its reason, and one that is refused neither a request nor a certificate",
        arguments: MatrixCase.all
    )
    func verdict(_ test: MatrixCase) throws {
        let stage = try MatrixStage(test, Self.authority.get())
        var refused = 0
        for way in stage.ways {
            let code = stage.code(way)
            let before = stage.mark
            let response = try stage.get(way)
            #expect(response.status == (code == nil ? 200 : 502), "\(way)")
            if let code {
                let status = try #require(response["Proxy-Status"], "\(way)")
                let error = code.hasPrefix("tls.") ? "tls_protocol_error" : "tls_certificate_error"
                #expect(status.contains("error=\(error); details=\"\(code)"), "\(way): \(status)")
                try eventually("'\(code)' in the log: \(stage.logged(since: before))") {
                    stage.logged(since: before).contains(code)
                }
                if way.server == .nginx { refused += 1 }
            }
            guard way.server == .openssl else { continue }
            let received = try stage.received(since: before)
            for part in ["Certificate", "Finished", "data"] {
                #expect(received.contains(part) == (code == nil), "\(way): \(received)")
            }
        }
        // nginx tells of a certificate together with the request only.
        let accepted = stage.ways.count { $0.server == .nginx } - refused
        #expect(try stage.nginx.log.wait(for: accepted).count == accepted)
        #expect(stage.nginx.log.entries.allSatisfy { $0.authorization.hasSuffix("CN=me") })
        try eventually("\(refused) failed handshakes; there are \(stage.nginx.failedHandshakes)") {
            stage.nginx.failedHandshakes == refused
        }
    }
}

/// One way to a server: its own port at the client's side, and so a policy of its own.
struct MatrixWay: CustomStringConvertible {
    enum Server: CaseIterable { case nginx, openssl }
    enum Pins: CaseIterable { case none, right, wrong }

    let server: Server
    let version: String
    let pins: Pins
    let port: Int

    var description: String { "\(server), TLS \(version), pins: \(pins)" }

    static func all(_ versions: [String]) -> [MatrixWay] {
        var ways: [MatrixWay] = []
        for server in Server.allCases {
            for version in versions {
                for pins in Pins.allCases {
                    ways.append(MatrixWay(server: server, version: version, pins: pins, port: 1001 + ways.count))
                }
            }
        }
        return ways
    }
}

/// A case's servers, and a proxy that leads to them by all ways.
private final class MatrixStage {
    let ways: [MatrixWay]
    let nginx: Nginx
    private let openssl: OpenSSLServer
    private let proxy: RunningProxy
    private let test: MatrixCase
    private let scene: MatrixCase.Scene
    private let folder: ScratchFolder

    init(_ test: MatrixCase, _ root: TestAuthority) throws {
        self.test = test
        let scene = try test.make(root)
        self.scene = scene
        folder = try ScratchFolder("matrix")
        let chain = try folder.write(Self.text(of: [scene.leaf] + scene.chain), to: "chain.pem")
        ways = MatrixWay.all(test.version == nil ? ["1.2", "1.3"] : ["1.2"])
        nginx = try Nginx(
            scene.leaf.with(certificate: chain),
            asks: true,
            protocols: test.version.map { $0 == "1" ? "TLSv1" : "TLSv\($0)" } ?? "TLSv1.2 TLSv1.3",
            staple: scene.staple
        )
        openssl = try OpenSSLServer(
            scene.leaf,
            ["-cipher", "DEFAULT@SECLEVEL=0"] + (scene.chain.isEmpty ? [] : ["-cert_chain", chain])
                + (test.version.map { ["-tls\($0 == "1" ? "1" : "1_1")"] } ?? [])
                + (scene.staple.map { ["-status_file", $0] } ?? [])
        )
        let own = try root.leaf("me", names: "DNS:me.test", purpose: .client)
        let anchors = try folder.write(Self.text(of: scene.anchors), to: "anchors.pem")
        let pin = try root.pin(of: (scene.pinned ?? scene.anchors[0]).certificate)
        let host = "host: \"\(test.host)\""
        let terms = "anchors: { file: \(anchors) }" + (scene.list.map { ", revocation: { crl: \($0) }" } ?? "")
        let trust = ways.map { "  - { \(host), port: \($0.port), \(terms), \(Self.terms($0, pin)) }\n" }
        let ports: [MatrixWay.Server: UInt16] = [.nginx: nginx.port, .openssl: openssl.port]
        let routes = ways.map {
            "  - { \(host), port: \($0.port), to: { address: 127.0.0.1, port: \(ports[$0.server] ?? 0) } }\n"
        }
        let rules = """
            credentials: { me: { certificate: \(own.certificate), private_key: { file: \(own.key) } } }
            rules: [{ space: { \(host), port: any, protocol: https }, use: me }]
            trust:
            \(trust.joined())routes:
            \(routes.joined())
            """
        proxy = try RunningProxy(rules, workers: 1)
    }

    private static func text(of certificates: [TestAuthority.Leaf]) throws -> String {
        try certificates.map { String(decoding: try #require(contents(of: $0.certificate)), as: UTF8.self) }.joined()
    }

    private static func terms(_ way: MatrixWay, _ pin: String) -> String {
        let versions = "minimum_tls: \"\(way.version)\", maximum_tls: \"\(way.version)\""
        switch way.pins {
        case .none: return versions
        case .right: return versions + ", pins: [\"\(pin)\"]"
        case .wrong: return versions + ", pins: [\"sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"]"
        }
    }

    /// The reason that a way is expected to be refused for.
    func code(_ way: MatrixWay) -> String? {
        switch way.pins {
        case .none: test.code
        case .right: test.pinned ?? test.code
        case .wrong: test.isBehindPins ? "pin.mismatch" : test.code ?? "pin.mismatch"
        }
    }

    func get(_ way: MatrixWay) throws -> HTTPResponse {
        try proxy.get("https://\(test.host.contains(":") ? "[\(test.host)]" : test.host):\(way.port)/open/")
    }

    /// How much was told so far, by the proxy and by OpenSSL's program.
    struct Mark {
        let log: Int
        let trace: Int
    }

    var mark: Mark {
        Mark(log: proxy.process.outputBytes.count, trace: openssl.place)
    }

    func logged(since mark: Mark) -> String {
        String(decoding: proxy.process.outputBytes[mark.log...], as: UTF8.self)
    }

    /// What OpenSSL's program received on the connection since then, up to the request or to the handshake's failure.
    func received(since mark: Mark) throws -> [String] {
        try eventually("a request, or the end of the handshake") {
            openssl.received(since: mark.trace).contains { $0 == "data" || $0 == "alert" }
        }
        return openssl.received(since: mark.trace)
    }
}
