import Support
import Testing

/// A server as it presents itself, the policy that it is held to, and what is to become of a request to it.
struct MatrixCase: CustomTestStringConvertible, Sendable {
    /// What a server presents and what is trusted.
    struct Scene {
        let leaf: TestAuthority.Leaf
        /// What is sent behind the leaf.
        var chain: [TestAuthority.Leaf] = []
        var anchors: [TestAuthority.Leaf]
        /// The certificate whose key is pinned; by default the first anchor.
        var pinned: TestAuthority.Leaf?
        /// The file of the OCSP answer that is stapled.
        var staple: String?
        /// The file of a revocation list.
        var list: String?
        /// Who made that.
        var lister: TestAuthority?
    }

    let testDescription: String
    /// The reason; nil: the server is accepted.
    let code: String?
    /// The reason where the pin is right, if it is another than without one.
    var pinned: String??
    let host: String
    /// The reason comes to light behind the pins only.
    var isBehindPins = false
    /// The version that the server speaks, where it isn't 1.2 and 1.3.
    var version: String?
    let make: @Sendable (TestAuthority) throws -> Scene

    init(
        _ description: String,
        _ code: String?,
        pinned: String?? = .none,
        host: String = "origin.example.test",
        version: String? = nil,
        isBehindPins: Bool = false,
        _ make: @escaping @Sendable (TestAuthority) throws -> Scene
    ) {
        testDescription = description
        self.code = code
        self.pinned = pinned
        self.host = host
        self.version = version
        self.isBehindPins = isBehindPins
        self.make = make
    }
}

extension MatrixCase {
    static let all: [MatrixCase] = names + chains + keys + revocation + passengers

    /// A leaf of the root's itself.
    private static func plain(
        _ root: TestAuthority,
        _ names: String? = "DNS:origin.example.test",
        purpose: TestAuthority.Purpose = .server,
        _ change: (inout TestAuthority.Terms) -> Void = { _ in }
    ) throws -> Scene {
        let leaf = try root.leaf("origin.example.test", names: names, purpose: purpose, change)
        return Scene(leaf: leaf, anchors: [root.own])
    }

    /// A leaf of an authority below the root, which is sent along.
    private static func below(
        _ root: TestAuthority,
        _ change: (inout TestAuthority.Terms) -> Void = { _ in }
    ) throws -> Scene {
        let middle = try TestAuthority("Middle", below: root, change)
        let leaf = try middle.leaf("origin.example.test", names: "DNS:origin.example.test")
        return Scene(leaf: leaf, chain: [middle.own], anchors: [root.own])
    }

    private static let names: [MatrixCase] = [
        MatrixCase("a decent server", nil) { try plain($0) },
        MatrixCase("another's name", "host.mismatch") { try plain($0, "DNS:other.example.test") },
        MatrixCase("the name as common name only", "host.mismatch") { try plain($0, nil) },
        MatrixCase("an address", nil, host: "192.0.2.7") { try plain($0, "IP:192.0.2.7") },
        MatrixCase("an IPv6 address", nil, host: "2001:db8::7") { try plain($0, "IP:2001:db8::7") },
        MatrixCase("another address", "host.mismatch", host: "192.0.2.7") { try plain($0, "IP:192.0.2.8") },
        MatrixCase("an address as DNS name", "host.mismatch", host: "192.0.2.7") { try plain($0, "DNS:192.0.2.7") },
        MatrixCase("a wildcard for one label", nil) { try plain($0, "DNS:*.example.test") },
        MatrixCase("a wildcard for two labels", "host.mismatch", host: "a.b.example.test") {
            try plain($0, "DNS:*.example.test")
        },
        MatrixCase("a wildcard for no label", "host.mismatch", host: "example.test") {
            try plain($0, "DNS:*.example.test")
        },
        MatrixCase("a wildcard for part of a label", "host.mismatch") { try plain($0, "DNS:ori*.example.test") },
        MatrixCase("a wildcard behind the first label", "host.mismatch") { try plain($0, "DNS:origin.*.test") },
        MatrixCase("a name constraint that permits the name", nil) {
            try below($0) { $0.extensions.append("nameConstraints=critical,permitted;DNS:example.test") }
        },
        MatrixCase("a name constraint that permits another", "chain.name-constraint") {
            try below($0) { $0.extensions.append("nameConstraints=critical,permitted;DNS:example.org") }
        },
        MatrixCase("a name constraint that excludes the name", "chain.name-constraint") {
            try below($0) { $0.extensions.append("nameConstraints=critical,excluded;DNS:origin.example.test") }
        },
    ]

    private static let chains: [MatrixCase] = [
        MatrixCase("an intermediate authority", nil) { try below($0) },
        MatrixCase("a missing intermediate", "chain.untrusted") {
            var scene = try below($0)
            scene.chain = []
            return scene
        },
        MatrixCase("expired", "chain.expired") { try plain($0) { ($0.begin, $0.end) = (-9, -1) } },
        MatrixCase("not yet valid", "chain.not-yet-valid") { try plain($0) { ($0.begin, $0.end) = (1, 9) } },
        MatrixCase("an expired intermediate", "chain.expired") { try below($0) { ($0.begin, $0.end) = (-9, -1) } },
        MatrixCase("a client's certificate", "chain.wrong-purpose") { try plain($0, purpose: .client) },
        MatrixCase("an issuer that is no authority", "chain.not-authority") {
            try below($0) {
                $0.extensions[0] = "basicConstraints=CA:FALSE"
                $0.extensions[1] = "keyUsage=critical,digitalSignature"
            }
        },
        MatrixCase("a path that is cross-signed to the trusted root", nil) { root in
            let strange = try TestAuthority("Strange root")
            let crossed = try root.crossSign(strange, name: "Strange root")
            return Scene(
                leaf: try strange.leaf("origin.example.test", names: "DNS:origin.example.test"),
                chain: [strange.own, crossed],
                anchors: [root.own]
            )
        },
        MatrixCase("a root that nobody trusts", "chain.untrusted") { root in
            let other = try TestAuthority("Other root")
            var scene = try plain(other)
            scene.chain = [other.own]
            scene.pinned = other.own
            scene.anchors = [root.own]
            return scene
        },
        MatrixCase("a root of the trusted one's name", "chain.untrusted") { root in
            var scene = try plain(TestAuthority("Test authority"))
            scene.anchors = [root.own]
            return scene
        },
    ]

    private static let keys: [MatrixCase] = [
        MatrixCase("an RSA key of 1024 bits", "chain.weak-key") { try plain($0) { $0.useRSA(1024) } },
        MatrixCase("an intermediate's RSA key of 1024 bits", "chain.weak-key") { try below($0) { $0.useRSA(1024) } },
        MatrixCase("an RSA key of 2048 bits", nil) { try plain($0) { $0.useRSA(2048) } },
        MatrixCase("a signature over SHA-1", "chain.weak-key") { try plain($0) { $0.digest = "sha1" } },
        MatrixCase("TLS 1.0 only", "tls.version", version: "1") { try plain($0) },
        MatrixCase("TLS 1.1 only", "tls.version", version: "1.1") { try plain($0) },
    ]

    private static let revocation: [MatrixCase] = [
        MatrixCase("a staple that says good", nil) { root in
            var scene = try plain(root)
            scene.staple = try root.staple(scene.leaf, isRevoked: false)
            return scene
        },
        MatrixCase("a staple that says revoked", "chain.revoked", isBehindPins: true) { root in
            var scene = try plain(root)
            scene.staple = try root.staple(scene.leaf, isRevoked: true)
            return scene
        },
        MatrixCase("not in the list of the revoked", nil) { root in
            var scene = try plain(root)
            scene.list = try root.revocationList([root.leaf("other", names: "DNS:other.test")])
            return scene
        },
        MatrixCase("in the list of the revoked", "chain.revoked") { root in
            var scene = try plain(root)
            scene.list = try root.revocationList([scene.leaf])
            return scene
        },
        MatrixCase("another authority's list", "chain.revocation-unknown") { root in
            var scene = try plain(root)
            let other = try TestAuthority("Other root")
            scene.list = try other.revocationList([])
            scene.lister = other
            return scene
        },
    ]

    private static let passengers: [MatrixCase] = [
        MatrixCase("a rogue with the pinned certificate as passenger", "chain.untrusted") { root in
            let rogue = try TestAuthority("Rogue")
            var scene = try plain(rogue)
            let pinned = try plain(root).leaf
            scene.pinned = pinned
            scene.chain = [rogue.own, pinned, root.own]
            scene.anchors = [root.own]
            return scene
        },
        MatrixCase("a trusted rogue with the pinned certificate as passenger", nil, pinned: "pin.mismatch") { root in
            let rogue = try TestAuthority("Rogue")
            var scene = try plain(rogue)
            let pinned = try plain(root).leaf
            scene.pinned = pinned
            scene.chain = [pinned, root.own]
            scene.anchors.append(root.own)
            return scene
        },
    ]
}
