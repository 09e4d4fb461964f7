import Authentication
import Bytes
import HTTP
import Rules
import Testing

@Suite("Decisions")
struct DecideTests {
    /// What `decide` says of offers by an origin, in words.
    private func decide(
        _ drafts: [RuleDraft],
        _ challenges: [Challenge],
        realm: String? = "R",
        origin: Origin = .a,
        request: RequestFacts = .get(),
        path: String = "/"
    ) throws -> [String] {
        let candidates = try table(drafts).candidates(for: origin, isProxy: false)
        let offers = offers(challenges, realm: realm, origin: origin)
        return words(candidates.decide(offers: offers, request: request, path: Array(path.utf8).span))
    }

    @Test(
        "A-11 offers are answered strongest first, whatever their order in the response",
        arguments: [
            ([.basic, .digestMD5], ["answer 1 rules[0]", "answer 0 rules[0]", "default"]),
            ([.digestMD5, .digestSHA256], ["answer 1 rules[0]", "answer 0 rules[0]", "default"]),
            ([.digestSHA256, .digestSHA512], ["answer 1 rules[0]", "answer 0 rules[0]", "default"]),
            (
                [.basic, .digestMD5, .ntlm, .digestSHA256, .digestSHA512, .bearer, .negotiate],
                [
                    "answer 6 rules[0]", "answer 4 rules[0]", "answer 3 rules[0]", "answer 2 rules[0]",
                    "answer 1 rules[0]", "answer 0 rules[0]", "default", "pass 5 rule.none",
                ]
            ),
            ([.basic, .basic], ["answer 0 rules[0]", "answer 1 rules[0]", "default"]),
            ([], ["default"]),
        ] as [([Challenge], [String])]
    )
    func strength(challenges: [Challenge], expected: [String]) throws {
        #expect(try decide([RuleDraft(use: "u")], challenges) == expected)
    }

    @Test(
        "A-11 the first rule with a method list that is a candidate orders the methods of its list among themselves",
        arguments: [
            // [basic, digest] by the rule; the digest offers keep their own order.
            (
                [RuleDraft(use: "u").with { $0.methods = [.basic, .digest] }], [.digestMD5, .basic, .digestSHA256],
                ["answer 1 rules[0]", "answer 2 rules[0]", "answer 0 rules[0]", "default"]
            ),
            // Of two lists the first in the file counts.
            (
                [
                    RuleDraft(use: "u").with {
                        $0.methods = [.digest]
                        $0.realm = .oneOf([])
                    },
                    RuleDraft(use: "v").with { $0.methods = [.basic, .digest] },
                    RuleDraft(use: "w").with { $0.methods = [.digest, .basic] },
                ], [.basic, .digestMD5], ["answer 0 rules[1]", "answer 1 rules[1]", "default"]
            ),
            // A list for another client is none.
            (
                [
                    RuleDraft(use: "u").with {
                        $0.methods = [.basic, .digest]
                        $0.clients = ["192.0.2.1"]
                    }, RuleDraft(use: "v"),
                ], [.basic, .digestMD5], ["answer 1 rules[1]", "answer 0 rules[1]", "default"]
            ),
            // A list of a rule for another path is none.
            (
                [
                    RuleDraft(use: "u").with {
                        $0.methods = [.basic, .digest]
                        $0.path = "/other"
                    }, RuleDraft(use: "v"),
                ], [.basic, .digestMD5], ["answer 1 rules[1]", "answer 0 rules[1]", "default"]
            ),
            // Offers that aren't in the list keep their places.
            (
                [RuleDraft(.rejectProtectionSpace).with { $0.methods = [.basic, .negotiate] }, RuleDraft(use: "v")],
                [.basic, .digestMD5, .negotiate],
                ["answer 1 rules[1]", "default", "pass 0 rule.reject rules[0]", "pass 2 rule.reject rules[0]"]
            ),
        ] as [([RuleDraft], [Challenge], [String])]
    )
    func writtenOrder(drafts: [RuleDraft], challenges: [Challenge], expected: [String]) throws {
        #expect(try decide(drafts, challenges) == expected)
    }

    @Test(
        "A-11 the first candidate decides, and a rule hides none that answers what it can't",
        arguments: [
            ([RuleDraft(use: "u"), RuleDraft(use: "v")], ["answer 0 rules[0]", "default"]),
            (
                [RuleDraft(use: "u").with { $0.methods = [.digest] }, RuleDraft(use: "v")],
                ["answer 0 rules[1]", "default"]
            ),
            ([RuleDraft(use: "u").with { $0.realm = .oneOf([Array("S".utf8)]) }], ["default", "pass 0 rule.none"]),
            (
                [RuleDraft(use: "u").with { $0.realm = .prefix(Array("S".utf8)) }, RuleDraft(use: "v")],
                ["answer 0 rules[1]", "default"]
            ),
            ([RuleDraft(.rejectProtectionSpace), RuleDraft(use: "v")], ["default", "pass 0 rule.reject rules[0]"]),
            ([RuleDraft(.performDefaultHandling), RuleDraft(use: "v")], ["default rules[0]"]),
            ([RuleDraft(.cancelAuthenticationChallenge), RuleDraft(use: "v")], ["cancel rules[0]"]),
            ([RuleDraft(use: "u").with { $0.hosts = ["b.example"] }], ["default", "pass 0 rule.none"]),
            ([RuleDraft(use: "u").with { $0.hosts = ["b.example", ".example"] }], ["answer 0 rules[0]", "default"]),
            ([RuleDraft(use: "u").with { $0.port = .number(8080) }], ["default", "pass 0 rule.none"]),
            ([RuleDraft(use: "u").with { $0.port = .number(80) }], ["answer 0 rules[0]", "default"]),
            ([RuleDraft(use: "u").with { $0.scheme = .https }], ["default", "pass 0 rule.none"]),
            ([RuleDraft(use: "u").with { $0.scheme = .http }], ["answer 0 rules[0]", "default"]),
            ([RuleDraft(use: "u").with { $0.isProxy = true }], ["default", "pass 0 rule.none"]),
            ([RuleDraft(use: "u").with { $0.clients = ["10.0.0.0/8"] }], ["default", "pass 0 rule.none"]),
            (
                [RuleDraft(use: "u").with { $0.clients = ["10.0.0.0/8", "127.0.0.1"] }],
                ["answer 0 rules[0]", "default"]
            ),
            ([], ["default", "pass 0 rule.none"]),
        ] as [([RuleDraft], [String])]
    )
    func firstCandidate(drafts: [RuleDraft], expected: [String]) throws {
        #expect(try decide(drafts, [.basic]) == expected)
    }

    @Test("A-11 default and cancel end the search, reject goes on to the next offer")
    func dispositions() throws {
        let digest: (inout RuleDraft) -> Void = { $0.methods = [.digest] }
        #expect(
            try decide([RuleDraft(.performDefaultHandling).with(digest), RuleDraft(use: "v")], [.basic, .digestMD5])
                == ["default rules[0]", "pass 0 search.ended"]
        )
        #expect(
            try decide(
                [RuleDraft(.cancelAuthenticationChallenge).with(digest), RuleDraft(use: "v")],
                [.basic, .digestMD5]
            )
                == ["cancel rules[0]", "pass 0 search.ended"]
        )
        #expect(
            try decide([RuleDraft(.rejectProtectionSpace).with(digest), RuleDraft(use: "v")], [.basic, .digestMD5])
                == ["answer 0 rules[1]", "default", "pass 1 rule.reject rules[0]"]
        )
        #expect(
            try decide(
                [RuleDraft(.cancelAuthenticationChallenge).with { $0.methods = [.basic] }, RuleDraft(use: "v")],
                [.basic, .digestMD5]
            )
                == ["answer 1 rules[1]", "cancel rules[0]"]
        )
    }

    @Test(
        "S-02 without port a rule is about the protocol's own, any must be written",
        arguments: [
            (.protocolDefault, 80, true), (.protocolDefault, 8080, false), (.any, 8080, true),
            (.number(8080), 8080, true),
            (.number(8080), 80, false),
        ] as [(PortPattern, UInt16, Bool)]
    )
    func ports(pattern: PortPattern, port: UInt16, isAbout: Bool) throws {
        let rules = try table([RuleDraft(use: "u").with { $0.port = pattern }])
        let origin = Origin(scheme: .http, host: "a.example", port: port)
        #expect(rules.candidates(for: origin, isProxy: false).isEmpty == !isAbout)
    }

    @Test("A-13 a 407 that nothing answers ends in 502, one with an explicit default goes to the client")
    func parents() throws {
        let parent = ParentProxy(
            name: "corp",
            place: SourcePlace(line: 1),
            origin: .parent,
            credentials: [credential("p"), credential("q")],
            cleartext: []
        )
        let offers = offers([.basic, .digestMD5], origin: .parent, isProxy: true)
        func decide(_ drafts: [RuleDraft], parents: [ParentProxy], _ request: RequestFacts) throws -> [String] {
            let candidates = try table(drafts, parents: parents).candidates(for: .parent, isProxy: true)
            return words(candidates.decide(offers: offers, request: request, path: [UInt8]().span))
        }
        #expect(try decide([], parents: [], .get()) == ["cancel", "pass 1 rule.none", "pass 0 rule.none"])
        #expect(
            try decide([], parents: [parent], .get { $0.isSecure = false })
                == ["answer 1 proxies.corp.use[0]", "cancel", "pass 0 cleartext.refused proxies.corp.use[0]"]
        )
        let leave = RuleDraft(.performDefaultHandling).with {
            $0.hosts = ["proxy.example"]
            $0.isProxy = true
        }
        #expect(try decide([leave], parents: [parent], .get()) == ["default rules[0]", "pass 0 search.ended"])
        let other = leave.with { $0.isProxy = false }
        #expect(try decide([other], parents: [], .get()) == ["cancel", "pass 1 rule.none", "pass 0 rule.none"])
    }

    @Test("the use of a parent comes after all rules, for its own host and port alone")
    func parentRules() throws {
        let parent = ParentProxy(
            name: "corp",
            place: SourcePlace(file: "f", line: 9),
            origin: .parent,
            credentials: [credential("p")],
            methods: [.digest],
            preempt: .never,
            maxFailures: 2,
            withholdFor: .seconds(5)
        )
        let rules = try table(
            [RuleDraft(use: "u"), RuleDraft(use: "v").with { $0.isProxy = true }],
            parents: [parent, parent]
        )
        #expect(rules.rules.map(\.name) == ["rules[0]", "rules[1]", "proxies.corp.use", "proxies.corp.use"])
        #expect(rules.rules.map(\.index) == [0, 1, 2, 3])
        let rule = rules.rules[2]
        #expect(rule.methods == MethodSet([AuthenticationMethod.digest]))
        #expect(rule.preempt == .never && rule.maxFailures == 2 && rule.withholdFor == .seconds(5) && rule.line == 9)
        #expect(rules.candidates(for: .parent, isProxy: true).rules.map(\.index) == [2, 3])
        #expect(rules.candidates(for: .parent, isProxy: false).isEmpty)
        let otherPort = Origin(scheme: .http, host: "proxy.example", port: 8080)
        #expect(rules.candidates(for: otherPort, isProxy: true).isEmpty)
        // A rule without a port is about the parent's own, whatever that is.
        let proxyRule = try table([RuleDraft(use: "v").with { ($0.isProxy, $0.hosts) = (true, ["proxy.example"]) }])
        #expect(proxyRule.candidates(for: .parent, isProxy: true).rules.count == 1)
    }

    @Test(
        "A-14 basic goes over TLS only unless the rule's cleartext names it; digest needs none",
        arguments: [
            (.basic, false, [], false), (.basic, false, [.basic], true), (.basic, true, [], true),
            (.digestMD5, false, [], true), (.basic, false, [.ntlm, .bearer], false),
        ] as [(Challenge, Bool, [AuthenticationMethod], Bool)]
    )
    func cleartext(challenge: Challenge, isSecure: Bool, cleartext: [AuthenticationMethod], isAnswered: Bool) throws {
        let rule = RuleDraft(use: "u").with { $0.cleartext = MethodSet(cleartext) }
        let said = try decide([rule, RuleDraft(use: "v")], [challenge], request: .get { $0.isSecure = isSecure })
        #expect(
            said == (isAnswered ? ["answer 0 rules[0]", "default"] : ["default", "pass 0 cleartext.refused rules[0]"])
        )
    }

    @Test("A-15 a request from another site gets an origin's credential only with cross_site, a parent's always")
    func crossSite() throws {
        let request = RequestFacts.get { $0.isCrossSite = true }
        #expect(
            try decide(
                [RuleDraft(use: "u"), RuleDraft(use: "v").with { $0.allowsCrossSite = true }],
                [.basic],
                request: request
            )
                == ["default", "pass 0 cross-site.refused rules[0]"]
        )
        #expect(
            try decide([RuleDraft(use: "u").with { $0.allowsCrossSite = true }], [.basic], request: request)
                == ["answer 0 rules[0]", "default"]
        )
        let draft = RuleDraft(use: "u").with { ($0.isProxy, $0.hosts) = (true, ["proxy.example"]) }
        let candidates = try table([draft]).candidates(for: .parent, isProxy: true)
        let parentOffers = offers([.basic], origin: .parent, isProxy: true)
        let decision = candidates.decide(offers: parentOffers, request: request, path: [UInt8]().span)
        #expect(words(decision) == ["answer 0 rules[0]", "cancel"])
    }

    @Test("A-13 a client that brings Authorization gets no value for it but by replace, and its 407 is answered")
    func bringsAuthorization() throws {
        let request = RequestFacts.get { $0.bringsAuthorization = true }
        #expect(
            try decide([RuleDraft(use: "u")], [.basic], request: request)
                == ["default", "pass 0 client-credential.kept rules[0]"]
        )
        #expect(
            try decide([RuleDraft(use: "u").with { $0.clientCredential = .replace }], [.basic], request: request)
                == ["answer 0 rules[0]", "default"]
        )
        #expect(
            try decide([RuleDraft(.cancelAuthenticationChallenge)], [.basic], request: request) == ["cancel rules[0]"]
        )
        let draft = RuleDraft(use: "u").with { ($0.isProxy, $0.hosts) = (true, ["proxy.example"]) }
        let candidates = try table([draft]).candidates(for: .parent, isProxy: true)
        let parentOffers = offers([.basic], origin: .parent, isProxy: true)
        let decision = candidates.decide(offers: parentOffers, request: request, path: [UInt8]().span)
        #expect(words(decision) == ["answer 0 rules[0]", "cancel"])
    }

    @Test("A-26 TRACE is answered neither ahead nor to a challenge")
    func trace() throws {
        let request = RequestFacts.get { $0.method = .trace }
        let drafts = [RuleDraft(use: "u").with { ($0.preempt, $0.methods) = (.always, [.basic]) }]
        #expect(try decide(drafts, [.basic], request: request) == ["default", "pass 0 trace.refused rules[0]"])
        let candidates = try table(drafts).candidates(for: .a, isProxy: false)
        let rule = candidates.preemptive(request: request, path: [0x2F].span)
        #expect(rule == nil)
    }

    @Test(
        "A-27 a rule for a path answers below it alone, and nothing where the path is ambiguous",
        arguments: [
            ("/private/x", ["answer 0 rules[0]", "default"]),
            ("/%70rivate/x?q=/../", ["answer 0 rules[0]", "default"]),
            ("/public", ["default", "pass 0 rule.none"]),
            ("/Private/", ["default", "pass 0 rule.none"]),
            ("", ["default", "pass 0 rule.none"]),
            ("/private/../x", ["default", "pass 0 path.ambiguous rules[0]"]),
            ("/private//x", ["default", "pass 0 path.ambiguous rules[0]"]),
            ("/public/%2e%2e/private/", ["default", "pass 0 path.ambiguous rules[0]"]),
        ]
    )
    func paths(path: String, expected: [String]) throws {
        #expect(try decide([RuleDraft(use: "u").with { $0.path = "/private/" }], [.basic], path: path) == expected)
    }

    @Test("A-27 an ambiguous path leaves the rules without a path, unless one for a path keeps credentials away")
    func ambiguousPathAndOthers() throws {
        let open = RuleDraft(use: "v")
        let path: (inout RuleDraft) -> Void = { $0.path = "/private/" }
        #expect(
            try decide([RuleDraft(use: "u").with(path), open], [.basic], path: "/a/../b") == [
                "answer 0 rules[1]", "default",
            ]
        )
        #expect(
            try decide([RuleDraft(.rejectProtectionSpace).with(path), open], [.basic], path: "/a/../b")
                == ["default", "pass 0 path.ambiguous rules[0]"]
        )
        #expect(
            try decide([RuleDraft(.cancelAuthenticationChallenge).with(path), open], [.basic], path: "/a/b")
                == ["answer 0 rules[1]", "default"]
        )
        // In an origin for which no rule names a path, every path is as good as another.
        #expect(try decide([open], [.basic], path: "/a/../b") == ["answer 0 rules[0]", "default"])
    }

    @Test("S-04 the empty realm and the absent one are told apart")
    func realms() throws {
        let empty = RuleDraft(use: "u").with { $0.realm = .oneOf([[]]) }
        #expect(try decide([empty], [.basic], realm: "") == ["answer 0 rules[0]", "default"])
        #expect(try decide([empty], [.basic], realm: nil) == ["default", "pass 0 rule.none"])
        #expect(try decide([RuleDraft(use: "u")], [.basic], realm: nil) == ["answer 0 rules[0]", "default"])
    }

    @Test("O-9 every reason has a code of its own")
    func codes() {
        #expect(Set(PassReason.allCases.map(\.code)).count == PassReason.allCases.count)
    }

    @Test("B-1 a request must be kept only for a client that some rule would answer")
    func mightAnswer() throws {
        let drafts = [RuleDraft(use: "u").with { $0.clients = ["10.0.0.0/8"] }, RuleDraft(.rejectProtectionSpace)]
        let candidates = try table(drafts).candidates(for: .a, isProxy: false)
        #expect(candidates.mightAnswer(Client(address: IPAddress("10.0.0.1"))))
        #expect(!candidates.mightAnswer(Client(address: .loopbackV4)))
        #expect(candidates.rule(at: 1)?.name == "rules[1]")
        #expect(candidates.rule(at: 2) == nil)
    }
}
