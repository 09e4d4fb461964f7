import Authentication
import Bytes
import HTTP
import Testing

@testable import Rules

/// A generator whose numbers are the same in each run (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func one<T>(of values: [T]) -> T { values[Int.random(in: values.indices, using: &self)] }
}

/// One generated case: a table, a request, and the challenges of a response to it.
private struct Case {
    let table: RuleTable
    let isProxy: Bool
    let server: Origin
    let path: String
    let facts: RequestFacts
    let challenges: [(kind: Challenge, realm: String?)]
    let parents: [ParentProxy]

    init(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        let parent = Origin(scheme: .http, host: random.one(of: ["proxy.example", "127.0.0.1"]), port: 3128)
        isProxy = random.one(of: [false, false, true])
        server =
            isProxy
            ? parent : Origin(scheme: .http, host: random.one(of: Case.hosts), port: random.one(of: [80, 80, 8080]))
        let count = Int.random(in: 0...6, using: &random)
        let drafts = try (0..<count).map { _ in try Case.draft(&random) }
        let used = random.one(of: [[], [credential("p")], [credential("p"), credential("q")]])
        let proxy = ParentProxy(
            name: "corp",
            place: SourcePlace(line: 1),
            origin: parent,
            credentials: used,
            methods: random.one(of: [nil, [.basic, .digest], [.digest]]),
            cleartext: random.one(of: [[], .all])
        )
        parents = [proxy]
        table = try RulesTests.table(drafts, parents: parents)
        path = random.one(of: [
            "/", "/private", "/private/x?y", "/privatex", "/a/../private", "/%70rivate/", "//", "/a%2Fb",
        ])
        let address = random.one(of: ["127.0.0.1", "10.0.0.1", "192.0.2.1"])
        facts = RequestFacts(
            client: Client(address: IPAddress(address), listener: random.one(of: [nil, "inner"])),
            method: random.one(of: [.get, .post, .get, .trace]),
            isSecure: random.one(of: [true, false]),
            isCrossSite: random.one(of: [false, false, true]),
            bringsAuthorization: random.one(of: [false, false, true])
        )
        challenges = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            (random.one(of: Challenge.allCases), random.one(of: ["R", "S", "", nil]))
        }
    }

    private static let hosts = ["a.example", "b.a.example", "10.1.2.3", "127.0.0.1"]

    private static func draft(_ random: inout SeededGenerator) throws -> RuleDraft {
        let disposition = random.one(
            of: [
                .useCredential(credential("u")), .useCredential(credential("v")), .useCredential(credential("w")),
                .performDefaultHandling, .rejectProtectionSpace, .cancelAuthenticationChallenge,
            ] as [Disposition]
        )
        var draft = RuleDraft(disposition)
        draft.hosts = [
            random.one(of: ["a.example", ".example", "*.a.example", "*", "10.0.0.0/8", "127.0.0.1", "proxy.example"]),
            random.one(of: ["c.example", ".a.example"]),
        ]
        draft.port = random.one(of: [.protocolDefault, .any, .number(80), .number(3128)])
        draft.scheme = random.one(of: [nil, nil, .http, .https])
        draft.isProxy = random.one(of: [false, false, true])
        draft.realm = random.one(of: [.any, .any, .oneOf([Array("R".utf8)]), .oneOf([[]]), .prefix(Array("S".utf8))])
        draft.methods = random.one(of: [
            nil, nil, [.basic], [.basic, .digest], [.digest, .basic], [.digest, .negotiate],
        ])
        draft.path = random.one(of: [nil, nil, nil, "/private", "/private/"])
        draft.clients = random.one(of: [nil, nil, ["10.0.0.0/8"], ["listener:inner", "127.0.0.1"]])
        draft.preempt = random.one(of: [.learned, .always, .never])
        draft.cleartext = random.one(of: [[], .all])
        draft.allowsCrossSite = random.one(of: [false, true])
        draft.clientCredential = random.one(of: [.keep, .keep, .replace])
        return draft
    }

    var offers: [Offer] {
        challenges.enumerated().map { index, challenge in
            let one = RulesTests.offers([challenge.kind], realm: challenge.realm, origin: server, isProxy: isProxy)
            return Offer(index: index, space: one[0].space, strength: one[0].strength)
        }
    }
}

/// A-11 and its neighbours once more, as plainly as they are written: rule by rule, without index and without shortcuts.
private struct Reading {
    let test: Case

    func candidates(for offer: Offer) -> (rules: [Rule], ambiguous: Rule?) {
        let isAmbiguous = !RequestPath.isUnambiguous(Array(test.path.utf8).span)
        var found: [Rule] = []
        var ambiguous: Rule?
        for rule in test.table.rules {
            guard isAbout(rule, test.server, isProxy: test.isProxy), rule.admits(test.facts.client) else {
                continue
            }
            guard rule.space.realm.matches(offer.space.realm) else { continue }
            let answers = rule.credential?.answers.contains(offer.space.method) ?? true
            guard answers, rule.space.methods?.contains(offer.space.method) ?? true else { continue }
            if let path = rule.space.path {
                if isAmbiguous {
                    ambiguous = ambiguous ?? rule
                    if rule.credential == nil { break }
                    continue
                }
                guard path.matches(Array(test.path.utf8).span) else { continue }
            }
            found.append(rule)
        }
        return (found, ambiguous)
    }

    /// The offers in the order in which they are looked at.
    var order: [Int] {
        let offers = test.offers
        let strongestFirst = offers.indices.sorted {
            offers[$0].strength != offers[$1].strength ? offers[$0].strength > offers[$1].strength : $0 < $1
        }
        let listing = test.table.rules.first { rule in
            rule.space.methods != nil && offers.contains { candidates(for: $0).rules.contains { $0 === rule } }
        }
        guard let list = listing?.space.methods else { return strongestFirst }
        var listed = list.flatMap { method in strongestFirst.filter { offers[$0].space.method == method } }
        return strongestFirst.map { list.contains(offers[$0].space.method) ? listed.removeFirst() : $0 }
    }

    func objection(_ rule: Rule, _ method: AuthenticationMethod) -> String? {
        let facts = test.facts
        if facts.method == .trace { return "trace.refused" }
        if !test.isProxy && facts.bringsAuthorization && rule.clientCredential != .replace {
            return "client-credential.kept"
        }
        if !test.isProxy && facts.isCrossSite && !rule.allowsCrossSite { return "cross-site.refused" }
        let shows = method == .basic || method == .bearer || method == .ntlm
        return shows && !facts.isSecure && !rule.cleartext.contains(method) ? "cleartext.refused" : nil
    }

    var words: [String] {
        var steps: [String] = []
        var passed: [String] = []
        var hasEnded = false
        for place in order {
            let offer = test.offers[place]
            let found = candidates(for: offer)
            if hasEnded {
                passed.append("pass \(place) search.ended")
            } else if let rule = found.rules.first {
                switch rule.disposition {
                case .useCredential:
                    if let reason = objection(rule, offer.space.method) {
                        passed.append("pass \(place) \(reason) \(rule.name)")
                    } else {
                        steps.append("answer \(place) \(rule.name)")
                    }
                case .rejectProtectionSpace: passed.append("pass \(place) rule.reject \(rule.name)")
                case .performDefaultHandling: (steps, hasEnded) = (steps + ["default \(rule.name)"], true)
                case .cancelAuthenticationChallenge: (steps, hasEnded) = (steps + ["cancel \(rule.name)"], true)
                }
            } else if let rule = found.ambiguous {
                passed.append("pass \(place) path.ambiguous \(rule.name)")
            } else {
                passed.append("pass \(place) rule.none")
            }
        }
        return steps + (hasEnded ? [] : [test.isProxy ? "cancel" : "default"]) + passed
    }
}

@Suite("Decide, explain and what goes ahead agree")
struct AgreementTests {
    private static let seeds = Array(UInt64(0)..<1500)

    @Test("A-11 decide says what reading the rules one by one says, over a generated corpus")
    func decideAndReading() throws {
        for seed in Self.seeds {
            let test = try Case(seed: seed)
            let candidates = test.table.candidates(for: test.server, isProxy: test.isProxy)
            let decision = candidates.decide(offers: test.offers, request: test.facts, path: Array(test.path.utf8).span)
            #expect(words(decision) == Reading(test: test).words, "seed \(seed)")
        }
    }

    @Test("O-5 explain and decide agree over a generated corpus")
    func explainAndDecide() throws {
        for seed in Self.seeds {
            let test = try Case(seed: seed)
            var parser = ChallengeParser()
            for challenge in test.challenges {
                parser.parse(Array(Self.field(challenge.kind, realm: challenge.realm).utf8).span)
            }
            let hop: NextHop = test.isProxy ? .parent(test.parents[0]) : .direct
            let route = Route(via: [hop], to: nil, index: 0, place: SourcePlace(line: 1))
            let configuration = ServerConfiguration.of(
                rules: test.table,
                routes: RouteTable([RoutePattern(hosts: nil, port: .any, scheme: nil, route: route)]),
                parents: test.parents
            )
            let read = parser.finish()
            var question = Explanation.Question(
                origin: test.isProxy ? .a : test.server,
                path: Array(test.path.utf8),
                method: test.facts.method,
                client: test.facts.client
            )
            if test.isProxy { question.proxyChallenges = read } else { question.challenges = read }
            let explanation = Explanation(question, in: configuration)
            let side = try #require(test.isProxy ? explanation.parent : explanation.origin)
            let candidates = test.table.candidates(for: test.server, isProxy: test.isProxy)
            let decision = candidates.decide(offers: side.offers, request: side.facts, path: Array(test.path.utf8).span)
            #expect(side.decision.map(words) ?? [] == (read.isEmpty ? [] : words(decision)), "seed \(seed)")
            check(side, decision, seed)
        }
    }

    /// What is said of the rules one by one is what came of the offers.
    private func check(_ side: Explanation.Side, _ decision: Decision, _ seed: UInt64) {
        for step in decision.steps {
            guard case .answer(let offer, let rule) = step else { continue }
            let method = side.offers[offer].space.method
            let said = side.applying.first { $0.rule === rule }
            #expect(said?.methods.contains(method) == true && said?.objections[method] == nil, "seed \(seed)")
        }
        for passed in decision.passedOver {
            let method = side.offers[passed.offer].space.method
            let realm = side.offers[passed.offer].space.realm
            let said = side.applying.first { $0.rule === passed.rule }
            switch passed.reason {
            case .cleartext, .crossSite, .clientCredential, .trace:
                #expect(said?.objections[method] == passed.reason, "seed \(seed)")
            case .noRule:
                let hasOne = side.applying.contains {
                    $0.rule.methods.contains(method) && $0.rule.space.realm.matches(realm)
                }
                #expect(!hasOne, "seed \(seed)")
            case .ambiguousPath:
                #expect(
                    side.others.contains { $0.rule === passed.rule && $0.mismatch == .ambiguousPath },
                    "seed \(seed)"
                )
            case .rejected, .notAhead, .searchEnded: break
            }
        }
    }

    @Test("A-9 what goes ahead is what a challenge would be answered with, over a generated corpus")
    func aheadAndDecide() throws {
        for seed in Self.seeds {
            let test = try Case(seed: seed)
            let candidates = test.table.candidates(for: test.server, isProxy: test.isProxy)
            let path = Array(test.path.utf8)
            for offer in test.offers {
                let decision = candidates.decide(offers: [offer], request: test.facts, path: path.span)
                for rule in test.table.rules {
                    let reason = candidates.objectionAhead(
                        ruleIndex: rule.index,
                        method: offer.space.method,
                        realm: offer.space.realm,
                        request: test.facts,
                        path: path.span
                    )
                    var isAnswer = false
                    if case .answer(_, let answering)? = decision.steps.first { isAnswer = answering === rule }
                    #expect((reason == nil) == (isAnswer && rule.preempt != .never), "seed \(seed)")
                }
            }
            if let rule = candidates.preemptive(request: test.facts, path: path.span) {
                let space = ProtectionSpace(origin: test.server, realm: nil, method: .basic)
                let offer = Offer(index: 0, space: space, strength: 1)
                let decision = candidates.decide(offers: [offer], request: test.facts, path: path.span)
                #expect(words(decision).first == "answer 0 \(rule.name)", "seed \(seed)")
            }
        }
    }

    private static func field(_ challenge: Challenge, realm: String?) -> String {
        let realm = realm.map { "realm=\"\($0)\"" }
        switch challenge {
        case .negotiate: return "Negotiate"
        case .ntlm: return "NTLM"
        case .bearer: return ["Bearer", realm].compactMap { $0 }.joined(separator: " ")
        case .basic: return ["Basic", realm].compactMap { $0 }.joined(separator: " ")
        case .digestMD5: return "Digest nonce=\"n\"" + (realm.map { ", \($0)" } ?? "")
        case .digestSHA256: return "Digest nonce=\"n\", algorithm=SHA-256" + (realm.map { ", \($0)" } ?? "")
        case .digestSHA512: return "Digest nonce=\"n\", algorithm=SHA-512-256" + (realm.map { ", \($0)" } ?? "")
        }
    }
}
