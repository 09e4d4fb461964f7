internal import Authentication
internal import Bytes
internal import Crypto
internal import HTTP
internal import Rules

/// The fields of a `header` credential that one side's legs carry.
struct AddedFields {
    /// Nil: none.
    var rule: Rule?
    /// The rule's, or what was fetched in its place.
    var credential: Credential?
    /// What the client brought and keeps, in lower case.
    var kept: [String] = []
    /// Why there are none, though a rule says so.
    var reason: LocalResponse?

    /// Those of both sides: apart from the exchange, which is looked at far more often than it adds any.
    final class Both {
        var origin = AddedFields()
        var parent = AddedFields()
    }

    /// The names of the client's that make way, in lower case; empty where there are no fields to add.
    var replaced: [String] {
        guard let rule else { return [] }
        return kept.isEmpty ? rule.fieldNames : rule.fieldNames.filter { !kept.contains($0) }
    }

    /// Whether `name`, in lower case, is one of those that are written.
    func sets(_ name: String) -> Bool { rule != nil && replaced.contains(name) }

    /// Appends the fields but for one that an answer to a challenge writes.
    func append(except answered: String?, into buffer: inout ByteBuffer) {
        guard let rule, case .header(let fields) = credential?.kind else { return }
        for (name, field) in zip(rule.fieldNames, fields) where name != answered && !kept.contains(name) {
            buffer.append(field.name)
            buffer.append(": ")
            field.value.append(to: &buffer)
            buffer.append("\r\n")
        }
    }
}

extension ExchangeStateMachine {
    /// Says which fields go to the origin and to the parent, and what becomes of the client's own of those names; a
    /// response where they are refused.
    mutating func planFields(_ head: borrowing RequestHead) -> LocalResponse? {
        guard let destination else { return nil }
        if !destination.isTunnel, destination.candidates.addsFields, let refusal = planFields(.origin, head) {
            return refusal
        }
        guard destination.hop.isParent, destination.hop.candidates.addsFields else { return nil }
        return planFields(.parent, head)
    }

    private mutating func planFields(_ side: Side, _ head: borrowing RequestHead) -> LocalResponse? {
        guard let candidates = candidates(side) else { return nil }
        switch candidates.fields(request: facts(side), path: head.rulePath) {
        case .none: return nil
        case .add(let rule): return judgeOwnFields(side, head, rule, candidates, isGiven: true)
        case .heldBack(let rule, let reason):
            var fields = AddedFields()
            fields.reason = LocalResponse(
                502,
                .httpRequestDenied,
                reason.code,
                "The rule \(rule.name) adds no fields here: \(reason.code)."
            )
            setFields(side, fields)
            return judgeOwnFields(side, head, rule, candidates, isGiven: false)
        }
    }

    /// The client's own fields of a rule's names: kept, replaced or refused.
    private mutating func judgeOwnFields(
        _ side: Side,
        _ head: borrowing RequestHead,
        _ rule: Rule,
        _ candidates: CandidateRules,
        isGiven: Bool
    ) -> LocalResponse? {
        var fields = fields(side)
        for name in rule.fieldNames {
            var next = head.fields.first(named: name)
            while let index = next {
                switch candidates.policy(of: rule, for: head.fields.value(index)) {
                case .refuse: return .ownFieldRefused
                case .keep: if fields.kept.last != name { fields.kept.append(name) }
                case .replace: break
                }
                next = head.fields.first(named: name, from: index + 1)
            }
        }
        guard isGiven else { return nil }
        fields.rule = rule
        fields.credential = rule.credential
        setFields(side, fields)
        return nil
    }

    var originFields: AddedFields { added?.origin ?? AddedFields() }
    var parentFields: AddedFields { added?.parent ?? AddedFields() }

    func fields(_ side: Side) -> AddedFields { side == .origin ? originFields : parentFields }

    private mutating func setFields(_ side: Side, _ fields: AddedFields) {
        let both = added ?? AddedFields.Both()
        if side == .origin { both.origin = fields } else { both.parent = fields }
        added = both
        if fields.credential?.deferred != nil { mayFetch = true }
    }

    /// The names of the client's fields, and trailers, that make way for fields of ours, in lower case.
    package var replacedFields: [String] {
        guard added != nil else { return [] }
        let isToParent = destination?.hop.isParent == true && destination?.hop.tunnel == nil
        return originFields.replaced + (isToParent ? parentFields.replaced : [])
    }

    /// Appends the fields of both sides; an answer to a challenge has its field to itself.
    func appendFields(isInTunnel: Bool, into buffer: inout ByteBuffer) {
        guard added != nil else { return }
        originFields.append(except: origin.plan == .none ? nil : "authorization", into: &buffer)
        if !isInTunnel { appendParentFields(into: &buffer) }
    }

    func appendParentFields(into buffer: inout ByteBuffer) {
        parentFields.append(except: parent.plan == .none ? nil : "proxy-authorization", into: &buffer)
    }

    /// A credential whose fields are to be fetched before the next leg, where there is one.
    func unfetchedFields(_ side: Side) -> Credential? {
        guard let credential = fields(side).credential, credential.deferred != nil else { return nil }
        return credential
    }

    /// What was fetched stands in for the deferred credential of one side's fields.
    mutating func fieldsObtained(_ side: Side, _ answer: SecretAnswer) -> Step {
        var fields = fields(side)
        switch answer {
        case .failed(let response): return finish(with: response)
        case .none: fields.credential = nil
        case .fetched(let credential): fields.credential = credential
        }
        setFields(side, fields)
        return proceed()
    }
}

extension ExchangeStateMachine {
    /// A challenge came although fields went that had been fetched: who gave them is told, but no ledger.
    mutating func tellOfFields(_ side: Side) {
        guard let credential = fields(side).credential, credential.source != nil else { return }
        reports.append(
            LedgerReport(
                side: side,
                credential: credential,
                place: LedgerPlace(server: "", target: "", path: ""),
                verdict: .rejected,
                maxFailures: 1,
                withholdFor: nil
            )
        )
    }
}

extension LocalResponse {
    /// The request brings a field that only the rule's credential may set.
    static var ownFieldRefused: LocalResponse {
        LocalResponse(
            403,
            .httpRequestDenied,
            "credential.client-refused",
            "This space takes no credential of the client's own; send the request without it."
        )
    }
}
