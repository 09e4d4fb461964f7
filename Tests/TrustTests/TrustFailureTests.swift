import Testing
import Trust

/// What an operator reads.
@Suite struct TrustFailureTests {
    private static let old = Certificates.make(
        "CA",
        issuer: "Root",
        to: day(18_000),
        isAuthority: true
    )
    private static let leaf = Certificates.make(
        "a.example",
        issuer: "CA",
        names: ["a.example", "*.a.example"],
        addresses: [[192, 0, 2, 7]]
    )

    private func message(
        _ result: PathResult,
        host: String = "a.example",
        _ terms: TrustPolicy.Terms = .init()
    ) -> String {
        TrustPolicy(name: "trust[2]", terms: terms)
            .decide(result, identity: ReferenceIdentity(host: host), now: june2020).failure?.message ?? ""
    }

    private func invalid(_ reason: PathFailure, depth: Int) -> PathResult {
        .invalid(code: 1, reason: reason, text: "words", depth: depth, path: [Self.leaf, Self.old])
    }

    @Test("T-1 a message names the certificate, what is wrong and what to do")
    func messages() {
        #expect(
            message(invalid(.expired, depth: 1))
                == "the certificate 'CN=CA' has expired (2019-04-14): the server needs a new one (words)"
        )
        #expect(
            message(invalid(.untrusted, depth: 1))
                == "the chain of a.example ends at 'CN=Root', which is no anchor: name that authority's file in 'anchors', "
                + "or have the server send the certificates on the way to one (words)"
        )
        #expect(message(invalid(.strict, depth: 0)).contains("'strict: false' of trust[2]"))
        #expect(
            message(.valid(path: [Self.leaf]), host: "b.example")
                == "the certificate is for a.example, *.a.example, 192.0.2.7, not for b.example"
        )
        #expect(
            message(.valid(path: [Certificates.commonName]), host: "foobar.com")
                == "the certificate is for no name at all in its subjectAltName, not for foobar.com"
        )
        #expect(
            message(.valid(path: [Self.leaf]), .init(.publicKey, [Self.old]))
                == "nothing of the chain of a.example is pinned by trust[2]: if the change is meant, put a line of what "
                + "was seen under its 'pins'"
        )
    }

    @Test("T-1 a place beyond what was seen blames nobody", arguments: [-1, 2, 99])
    func beyond(depth: Int) {
        #expect(
            message(invalid(.expired, depth: depth)).hasPrefix("a certificate of the chain of a.example has expired:")
        )
    }

    @Test("T-1 every failure has a reason code of its own and a message in one line", arguments: PathFailure.allCases)
    func each(reason: PathFailure) {
        #expect(reason.rawValue.hasPrefix("chain."))
        let message = message(invalid(reason, depth: 0))
        #expect(!message.isEmpty && !message.contains("\n"))
    }

    @Test("T-1 what the library or a certificate says can't break the line")
    func hostile() {
        let leaf = Certificates.make("a\nlevel=error", names: ["x\n.example", "y\u{202E}.example"])
        let failed = PathResult.invalid(code: 1, reason: .expired, text: "a\r\nb", depth: 0, path: [leaf])
        #expect(!message(failed).contains { $0.isNewline })
        #expect(!message(.valid(path: [leaf])).contains { $0.isNewline || $0 == "\u{202E}" })
    }
}
