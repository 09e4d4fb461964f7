package import Authentication
internal import Bytes
internal import HTTP

extension CandidateRules {
    /// A rule whose method could not be used in this exchange, so that the next candidate decides.
    package struct Exception: Hashable, Sendable {
        package let ruleIndex: Int
        package let method: AuthenticationMethod

        package init(ruleIndex: Int, method: AuthenticationMethod) {
            self.ruleIndex = ruleIndex
            self.method = method
        }
    }

    /// Which rule a space falls to.
    enum Verdict {
        case rule(Rule)
        /// None; of rules that name a path none was looked at, since the target's is ambiguous.
        case ambiguous(Rule)
        case none
    }

    /// Says what is tried for the challenges of a response.
    ///
    /// `offers` are in the order of the response; `path` is the path that is sent, with or without query, and empty
    /// for CONNECT.
    package func decide(
        offers: [Offer],
        request: RequestFacts,
        path: Span<UInt8>,
        except exceptions: [Exception] = []
    ) -> Decision {
        let isAmbiguous = isAmbiguous(path)
        let verdicts = offers.map {
            verdict(
                method: $0.space.method,
                realm: $0.space.realm,
                client: request.client,
                path: path,
                isAmbiguous,
                except: exceptions
            )
        }
        var decision = Decision()
        var hasEnded = false
        for place in order(offers, client: request.client, path: path, isAmbiguous) {
            if hasEnded {
                decision.passedOver.append(.init(offer: place, rule: nil, reason: .searchEnded))
                continue
            }
            switch verdicts[place] {
            case .none: decision.passedOver.append(.init(offer: place, rule: nil, reason: .noRule))
            case .ambiguous(let rule):
                decision.passedOver.append(.init(offer: place, rule: rule, reason: .ambiguousPath))
            case .rule(let rule):
                hasEnded = apply(rule, to: place, method: offers[place].space.method, request: request, &decision)
            }
        }
        if !hasEnded {
            decision.steps.append(isProxy ? .cancel(rule: nil) : .performDefaultHandling(rule: nil))
        }
        return decision
    }

    /// Whether A-27 keeps this path from the rules that name one.
    func isAmbiguous(_ path: Span<UInt8>) -> Bool {
        namesPath && !RequestPath.isUnambiguous(path)
    }

    /// The first rule in file order that is a candidate for a space decides; allocates nothing.
    func verdict(
        method: AuthenticationMethod,
        realm: [UInt8]?,
        client: Client,
        path: Span<UInt8>,
        _ isAmbiguous: Bool,
        except exceptions: [Exception] = []
    ) -> Verdict {
        var skipped: Rule?
        for rule in rules {
            guard rule.methods.contains(method), rule.space.realm.matches(realm), rule.admits(client) else { continue }
            if exceptions.contains(Exception(ruleIndex: rule.index, method: method)) { continue }
            guard let pattern = rule.space.path else { return .rule(rule) }
            if isAmbiguous {
                // A disposition keeps credentials from a path: nobody knows whether this is that path, so it does.
                guard rule.credential != nil else { return .ambiguous(rule) }
                skipped = skipped ?? rule
            } else if pattern.matches(path) {
                return .rule(rule)
            }
        }
        return skipped.map { .ambiguous($0) } ?? .none
    }

    /// Why a rule that a space falls to doesn't answer it for this request, or nil if it does.
    func objection(to rule: Rule, method: AuthenticationMethod, request: RequestFacts) -> PassReason? {
        if request.method == .trace { return .trace }
        if !isProxy {
            if request.bringsAuthorization, rule.clientCredential != .replace { return .clientCredential }
            if request.isCrossSite, !rule.allowsCrossSite { return .crossSite }
        }
        if !request.isSecure, MethodSet.exposing.contains(method), !rule.cleartext.contains(method) {
            return .cleartext
        }
        return nil
    }

    /// Carries out a rule's disposition; true when that ends the search.
    private func apply(
        _ rule: Rule,
        to place: Int,
        method: AuthenticationMethod,
        request: RequestFacts,
        _ decision: inout Decision
    ) -> Bool {
        switch rule.disposition {
        case .useCredential:
            if let reason = objection(to: rule, method: method, request: request) {
                decision.passedOver.append(.init(offer: place, rule: rule, reason: reason))
            } else {
                decision.steps.append(.answer(offer: place, rule: rule))
            }
            return false
        case .rejectProtectionSpace:
            decision.passedOver.append(.init(offer: place, rule: rule, reason: .rejected))
            return false
        case .performDefaultHandling:
            decision.steps.append(.performDefaultHandling(rule: rule))
            return true
        case .cancelAuthenticationChallenge:
            decision.steps.append(.cancel(rule: rule))
            return true
        }
    }

    /// The places of the offers, strongest first, those of the first written `method` list in its order among themselves.
    private func order(_ offers: [Offer], client: Client, path: Span<UInt8>, _ isAmbiguous: Bool) -> [Int] {
        var places = Array(offers.indices).sorted {
            (offers[$1].strength, $0) < (offers[$0].strength, $1)
        }
        var listed: [AuthenticationMethod]?
        for rule in rules where listed == nil && rule.space.methods != nil {
            guard rule.admits(client), isAbout(path, isAmbiguous, rule) else { continue }
            let meets = offers.contains {
                rule.methods.contains($0.space.method) && rule.space.realm.matches($0.space.realm)
            }
            if meets { listed = rule.space.methods }
        }
        guard let listed else { return places }
        let slots = places.indices.filter { listed.contains(offers[places[$0]].space.method) }
        let ranked = slots.map { places[$0] }.enumerated().sorted {
            let left = listed.firstIndex(of: offers[$0.element].space.method) ?? 0
            let right = listed.firstIndex(of: offers[$1.element].space.method) ?? 0
            return (left, $0.offset) < (right, $1.offset)
        }
        for (slot, entry) in zip(slots, ranked) {
            places[slot] = entry.element
        }
        return places
    }

    private func isAbout(_ path: Span<UInt8>, _ isAmbiguous: Bool, _ rule: Rule) -> Bool {
        guard let pattern = rule.space.path else { return true }
        return !isAmbiguous && pattern.matches(path)
    }
}
