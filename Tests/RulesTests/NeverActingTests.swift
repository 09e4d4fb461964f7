import Authentication
import Bytes
import HTTP
import Testing

@testable import Rules

@Suite("What never acts")
struct NeverActingTests {
    private static let r1 = RealmPattern.oneOf([Array("R".utf8)])

    private func find(
        _ drafts: [RuleDraft],
        routes: [RoutePattern] = [],
        parents: [ParentProxy] = [],
        interception: InterceptionConfiguration? = nil
    ) throws -> [NeverActing] {
        NeverActing.find(rules: try table(drafts).rules, routes: routes, parents: parents, interception: interception)
    }

    private func upgrade(
        _ hosts: [String]?,
        port: PortPattern = .any,
        scheme: Scheme? = nil,
        to upgraded: UInt16? = 443
    ) throws -> RoutePattern {
        let place = SourcePlace(file: "countersign.yaml", line: 40)
        return RoutePattern(
            hosts: try hosts?.map { try HostPattern($0) },
            port: port,
            scheme: scheme,
            route: Route(via: [.direct], to: nil, upgrade: upgraded, index: 0, place: place)
        )
    }

    private static let https = RuleDraft(use: "u").with { $0.scheme = .https }
    private static let basic = RuleDraft(use: "u").with { $0.methods = [.basic] }
    private static let http = RuleDraft(use: "u").with { $0.scheme = .http }

    @Test("O-5 a rule for an https host acts where that is upgraded or opened, and nowhere else")
    func https() throws {
        for draft in [Self.https, Self.basic] {
            #expect(try find([draft], routes: [upgrade(["a.example"])]).isEmpty)
            #expect(try find([draft], routes: [upgrade(nil)]).isEmpty)
            #expect(try find([draft], routes: [upgrade(["b.example"])]).count == 1)
            #expect(try find([draft], routes: [upgrade(["a.example"], to: nil)]).count == 1)
            #expect(try find([draft], routes: [upgrade(["a.example"], scheme: .https)]).count == 1)
            #expect(try find([draft], interception: .opening(["a.example"])).isEmpty)
            #expect(try find([draft], interception: .opening(["b.example"])).count == 1)
            #expect(try find([draft], interception: .opening([".example"], except: ["a.example"])).count == 1)
        }
        let certificate = RuleDraft(.useCredential(.certificate("c")))
        #expect(try find([certificate]).map(\.reason) == [.tunnelled])
        #expect(try find([certificate], routes: [upgrade(["a.example"])]).isEmpty)
    }

    @Test("R-4 a rule for http never acts under a route that upgrades all of it")
    func upgraded() throws {
        let place = SourcePlace(file: "countersign.yaml", line: 40)
        let found = try find([Self.http], routes: [upgrade([".example"])])
        #expect(found.map(\.reason) == [.upgraded(by: place)])
        #expect(found.first?.message.contains("line 40") == true)
        #expect(try find([Self.http], routes: [upgrade(nil)]).count == 1)
        for route in [
            try upgrade(["b.example"]), try upgrade(["a.example"], port: .number(8080)),
            try upgrade(["a.example"], scheme: .https), try upgrade(["a.example"], to: nil),
        ] { #expect(try find([Self.http], routes: [route]).isEmpty) }
        // Some of what the rule is about isn't upgraded.
        let wide = Self.http.with { $0.hosts = [".example"] }
        #expect(try find([wide], routes: [upgrade(["a.example"])]).isEmpty)
        // An earlier route decides.
        #expect(try find([Self.http], routes: [upgrade(["a.example"], to: nil), upgrade(nil)]).isEmpty)
    }

    @Test(
        "a rule is hidden by an earlier one that matches all that it does, and by no other",
        arguments: [
            (RuleDraft(use: "u"), RuleDraft(use: "v"), true),
            (RuleDraft(use: "u").with { $0.hosts = [".example"] }, RuleDraft(use: "v"), true),
            (
                RuleDraft(use: "u").with { $0.hosts = ["*"] }, RuleDraft(use: "v").with { $0.hosts = ["10.0.0.0/8"] },
                true
            ),
            (RuleDraft(use: "u").with { $0.hosts = ["b.example"] }, RuleDraft(use: "v"), false),
            (RuleDraft(use: "u"), RuleDraft(use: "v").with { $0.hosts = ["a.example", "b.example"] }, false),
            (
                RuleDraft(use: "u").with { $0.hosts = ["10.0.0.0/8"] },
                RuleDraft(use: "v").with { $0.hosts = ["10.0.0.1"] },
                true
            ),
            (RuleDraft(use: "u").with { $0.port = .number(80) }, RuleDraft(use: "v"), false),
            (RuleDraft(use: "u").with { $0.port = .any }, RuleDraft(use: "v").with { $0.port = .number(81) }, true),
            (RuleDraft(use: "u").with { $0.scheme = .http }, RuleDraft(use: "v"), false),
            (RuleDraft(use: "u").with { $0.realm = r1 }, RuleDraft(use: "v"), false),
            (RuleDraft(use: "u").with { $0.realm = r1 }, RuleDraft(use: "v").with { $0.realm = r1 }, true),
            (RuleDraft(use: "u").with { $0.methods = [.digest] }, RuleDraft(use: "v"), false),
            (RuleDraft(use: "u"), RuleDraft(use: "v").with { $0.methods = [.digest] }, true),
            (RuleDraft(use: "u"), RuleDraft(.cancelAuthenticationChallenge), false),
            (RuleDraft(.cancelAuthenticationChallenge), RuleDraft(use: "v"), true),
            (RuleDraft(use: "u").with { $0.path = "/a" }, RuleDraft(use: "v"), false),
            (RuleDraft(use: "u").with { $0.path = "/a" }, RuleDraft(use: "v").with { $0.path = "/a/b" }, true),
            (RuleDraft(use: "u").with { $0.clients = ["10.0.0.0/8"] }, RuleDraft(use: "v"), false),
            (
                RuleDraft(use: "u").with { $0.clients = ["10.0.0.0/8", "listener:x"] },
                RuleDraft(use: "v").with { $0.clients = ["listener:x", "10.1.0.0/16"] }, true
            ),
            (RuleDraft(use: "u"), RuleDraft(use: "v").with { $0.clients = ["10.0.0.1"] }, true),
        ] as [(RuleDraft, RuleDraft, Bool)]
    )
    func hiddenRules(first: RuleDraft, second: RuleDraft, isHidden: Bool) throws {
        let cleartext: (inout RuleDraft) -> Void = { $0.cleartext = .all }
        let found = try find([first.with(cleartext), second.with(cleartext)])
        let expected = NeverActing(
            subject: .rule(1),
            place: SourcePlace(file: "countersign.yaml", line: 11),
            reason: .hidden(by: SourcePlace(file: "countersign.yaml", line: 10))
        )
        #expect(found == (isHidden ? [expected] : []))
        #expect(found.allSatisfy { $0.message.contains("line 10") })
    }

    @Test("a rule about a parent and one about an origin don't hide each other")
    func parentsAndOrigins() throws {
        let parent = ParentProxy(name: "corp", place: SourcePlace(line: 1), origin: .parent)
        let host: (inout RuleDraft) -> Void = { $0.hosts = ["proxy.example"] }
        let found = try find(
            [RuleDraft(use: "u").with(host), RuleDraft(use: "v").with(host).with { $0.isProxy = true }],
            parents: [parent]
        )
        #expect(found.isEmpty)
    }

    @Test(
        "a rule that can't act alone is found",
        arguments: [
            (RuleDraft(use: "u"), nil),
            (RuleDraft(use: "u").with { $0.scheme = .https }, .tunnelled),
            (RuleDraft(.rejectProtectionSpace).with { $0.scheme = .https }, nil),
            (
                RuleDraft(use: "u").with { $0.methods = [.basic] },
                .heldBack(credential: "u", methods: MethodSet([.basic]))
            ),
            (RuleDraft(use: "u").with { ($0.methods, $0.cleartext) = ([.basic], .all) }, nil),
            (RuleDraft(use: "u").with { ($0.methods, $0.hosts) = ([.basic], ["127.0.0.1"]) }, nil),
            (RuleDraft(use: "u").with { ($0.methods, $0.hosts) = ([.basic], ["localhost"]) }, nil),
            (RuleDraft(use: "u").with { $0.isProxy = true }, .noParent),
            (RuleDraft(use: "u").with { ($0.isProxy, $0.hosts) = (true, ["proxy.example"]) }, nil),
            (
                RuleDraft(use: "u").with { ($0.isProxy, $0.hosts, $0.port) = (true, [".example"], .number(80)) },
                .parentPort([3128])
            ),
            (
                RuleDraft(use: "u").with { ($0.isProxy, $0.hosts, $0.methods) = (true, ["proxy.example"], [.basic]) },
                .heldBack(credential: "u", methods: MethodSet([.basic]))
            ),
        ] as [(RuleDraft, NeverActing.Reason?)]
    )
    func alone(draft: RuleDraft, reason: NeverActing.Reason?) throws {
        let parent = ParentProxy(name: "corp", place: SourcePlace(line: 1), origin: .parent)
        let found = try find([draft], parents: [parent])
        #expect(found.map(\.reason) == [reason].compactMap { $0 })
        #expect(found.allSatisfy { !$0.message.isEmpty && $0.subject == .rule(0) })
    }

    @Test("a route that an earlier one hides is never taken")
    func routes() throws {
        func route(_ index: Int, _ hosts: [String]?, _ port: PortPattern = .any) throws -> RoutePattern {
            RoutePattern(
                hosts: try hosts?.map { try HostPattern($0) },
                port: port,
                scheme: nil,
                route: Route(via: [.direct], to: nil, index: index, place: SourcePlace(file: "f\(index)", line: index))
            )
        }
        let found = try find(
            [],
            routes: [route(0, [".example"], .number(80)), route(1, ["a.example"]), route(2, nil), route(3, ["b.org"])]
        )
        #expect(found.map(\.subject) == [.route(3)])
        #expect(found.first?.message == "this route is never taken: the one in f2, line 2 matches all that it does")
    }

    @Test("ten thousand rules for one host are looked through in bounded time")
    func bounded() throws {
        let rules = try table(
            (0..<10_000).map { number in
                RuleDraft(use: "u").with { $0.realm = .oneOf([Array("\(number)".utf8)]) }
            }
        ).rules
        let time = ContinuousClock().measure {
            #expect(NeverActing.find(rules: rules, routes: [], parents: []).isEmpty)
        }
        #expect(time < .seconds(20))
    }
}
