import Authentication
import Bytes
import HTTP
import Rules
import Testing

@Suite("Sent ahead")
struct AheadTests {
    private static func always(_ name: String, _ change: (inout RuleDraft) -> Void = { _ in }) -> RuleDraft {
        RuleDraft(use: name).with {
            ($0.preempt, $0.methods) = (.always, [.basic, .digest])
            change(&$0)
        }
    }

    @Test(
        "preempt: always sends the first rule's credential, unless a rule before it would decide otherwise",
        arguments: [
            ([always("u")], 0),
            ([RuleDraft(use: "u")], nil),
            ([always("u") { $0.methods = [.digest, .basic] }], nil),
            ([always("u") { $0.methods = nil }], nil),
            ([RuleDraft(use: "t"), always("u")], nil),
            ([RuleDraft(use: "t").with { $0.methods = [.digest] }, always("u")], 1),
            ([RuleDraft(use: "t").with { $0.realm = .oneOf([]) }, always("u")], 1),
            ([RuleDraft(use: "t").with { $0.clients = ["10.0.0.1"] }, always("u")], 1),
            ([RuleDraft(use: "t").with { $0.path = "/b" }, always("u")], 1),
            ([RuleDraft(use: "t").with { $0.path = "/a" }, always("u")], nil),
            ([RuleDraft(.rejectProtectionSpace), always("u")], nil),
            ([RuleDraft(.cancelAuthenticationChallenge).with { $0.methods = [.digest] }, always("u")], 1),
            ([always("u") { $0.clients = ["10.0.0.1"] }, always("v")], 1),
            ([always("u") { $0.path = "/a" }], 0),
            ([always("u") { $0.path = "/b" }], nil),
            ([always("u"), always("v")], 0),
        ] as [([RuleDraft], Int?)]
    )
    func preempting(drafts: [RuleDraft], index: Int?) throws {
        let candidates = try table(drafts).candidates(for: .a, isProxy: false)
        let rule = candidates.preemptive(request: .get(), path: Array("/a/x".utf8).span)
        #expect(rule?.index == index)
    }

    @Test("A-13 A-14 A-15 A-26 what keeps an answer back keeps back what is sent ahead")
    func bounds() throws {
        func isSent(_ draft: RuleDraft, _ request: RequestFacts) throws -> Bool {
            let candidates = try table([draft]).candidates(for: .a, isProxy: false)
            let rule = candidates.preemptive(request: request, path: Array("/".utf8).span)
            let reason = candidates.objectionAhead(
                ruleIndex: 0,
                method: .basic,
                realm: nil,
                request: request,
                path: Array("/".utf8).span
            )
            #expect((rule == nil) == (reason != nil))
            return rule != nil
        }
        #expect(try isSent(Self.always("u"), .get()))
        #expect(try !isSent(Self.always("u"), .get { $0.isSecure = false }))
        #expect(
            try isSent(
                Self.always("u") { $0.cleartext = MethodSet([AuthenticationMethod.basic]) },
                .get { $0.isSecure = false }
            )
        )
        #expect(try !isSent(Self.always("u"), .get { $0.isCrossSite = true }))
        #expect(try isSent(Self.always("u") { $0.allowsCrossSite = true }, .get { $0.isCrossSite = true }))
        #expect(try !isSent(Self.always("u"), .get { $0.bringsAuthorization = true }))
        #expect(try !isSent(Self.always("u"), .get { $0.method = .trace }))
    }

    @Test(
        "A-9 S-4 a learned space is answered ahead only if its challenge would fall to the same rule for this request",
        arguments: [
            ([RuleDraft(use: "u")], 0, "/", nil),
            ([RuleDraft(use: "u")], 1, "/", .noRule),
            ([RuleDraft(use: "u").with { $0.clients = ["10.0.0.1"] }, RuleDraft(use: "v")], 0, "/", .noRule),
            ([RuleDraft(use: "u").with { $0.clients = ["10.0.0.1"] }, RuleDraft(use: "v")], 1, "/", nil),
            ([RuleDraft(use: "u").with { $0.path = "/a" }, RuleDraft(use: "v")], 0, "/b", .noRule),
            ([RuleDraft(use: "u").with { $0.path = "/a" }, RuleDraft(use: "v")], 1, "/b", nil),
            ([RuleDraft(use: "u").with { $0.path = "/a" }, RuleDraft(use: "v")], 1, "/a", .noRule),
            ([RuleDraft(use: "u").with { $0.path = "/a" }], 0, "/a//", .ambiguousPath),
            ([RuleDraft(use: "u").with { $0.preempt = .never }], 0, "/", .notAhead),
            ([RuleDraft(use: "u").with { $0.realm = .oneOf([Array("S".utf8)]) }], 0, "/", .noRule),
            ([RuleDraft(use: "u").with { $0.realm = .oneOf([Array("R".utf8)]) }], 0, "/", nil),
            ([RuleDraft(.cancelAuthenticationChallenge), RuleDraft(use: "v")], 1, "/", .noRule),
        ] as [([RuleDraft], Int, String, PassReason?)]
    )
    func learned(drafts: [RuleDraft], ruleIndex: Int, path: String, reason: PassReason?) throws {
        let candidates = try table(drafts).candidates(for: .a, isProxy: false)
        let said = candidates.objectionAhead(
            ruleIndex: ruleIndex,
            method: .digest,
            realm: Array("R".utf8),
            request: .get(),
            path: Array(path.utf8).span
        )
        #expect(said == reason)
    }
}
