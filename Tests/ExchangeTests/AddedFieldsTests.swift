import Authentication
import Crypto
import HTTP
import Rules
import Testing

@testable import Exchange

/// The fields of header credentials.
@Suite struct AddedFieldsTests {
    private static func rule(
        _ fields: [(String, String)] = [("X-Key", "ours")],
        index: Int = 0,
        isProxy: Bool = false,
        clientCredential: ClientCredentialPolicy = .replace,
        placeholder: String? = nil
    ) -> Rule {
        let secrets = fields.map { Credential.HeaderSecret(name: $0.0, value: Secret($0.1)) }
        return .of(
            index,
            .useCredential(Credential(name: "key", kind: .header(secrets))),
            isProxy: isProxy,
            clientCredential: clientCredential,
            placeholder: placeholder
        )
    }

    private func request(_ fields: String...) -> String {
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example" + fields.map { "\r\n" + $0 }.joined()
    }

    @Test("A-16 the fields go with each request in place of the client's, in whatever case those are written")
    func replaces() {
        var drive = ExchangeDrive(.direct([Self.rule([("X-Key", "ours"), ("X-User", "me")])]))
        #expect(drive.exchange(request("x-kEY: theirs", "X-Other: o", "X-Key: more"), ok).status == 200)
        #expect(drive.value("X-Key", ofLeg: 0) == "ours")
        #expect(drive.value("X-User", ofLeg: 0) == "me")
        #expect(drive.value("X-Other", ofLeg: 0) == "o")
        #expect(!drive.legs[0].contains("theirs") && !drive.legs[0].contains("more"))
        #expect(drive.machine.replacedFields == ["x-key", "x-user"])
        #expect(drive.verdicts.isEmpty)
    }

    @Test("A-16 TRACE, another side and a request from another site get none")
    func notGiven() {
        var drive = ExchangeDrive(.direct([Self.rule(isProxy: true)]))
        _ = drive.exchange(request(), ok)
        #expect(drive.value("X-Key", ofLeg: 0) == nil)
        drive = ExchangeDrive(.direct([Self.rule()]))
        _ = drive.exchange(request("Sec-Fetch-Site: cross-site"), ok)
        #expect(drive.value("X-Key", ofLeg: 0) == nil)
        _ = drive.exchange(request().replacing("GET", with: "TRACE"), ok)
        #expect(drive.value("X-Key", ofLeg: 0) == nil)
    }

    @Test("A-11 fields go together with the answer to a challenge, hide no rule and are in no ledger")
    func withAnswer() {
        var drive = ExchangeDrive(.direct([Self.rule(), .of(1, .use("staff"))]))
        #expect(drive.exchange(request(), unauthorized("Basic realm=\"r\""), ok).status == 200)
        #expect((0...1).allSatisfy { drive.value("X-Key", ofLeg: $0) == "ours" })
        #expect(drive.value("Authorization", ofLeg: 1) == basicValue)
        #expect(drive.verdicts == ["confirmed staff"])
    }

    @Test("A-11 an Authorization among the fields gives way to an answer, and its 401 is told where there is none")
    func authorization() {
        let fields = [("Authorization", "ApiKey ours")]
        var drive = ExchangeDrive(.direct([Self.rule(fields), .of(1, .use("staff"))]))
        #expect(drive.exchange(request("Authorization: Basic x"), unauthorized("Basic realm=\"r\""), ok).status == 200)
        #expect(drive.value("Authorization", ofLeg: 0) == "ApiKey ours")
        #expect(drive.value("Authorization", ofLeg: 1) == basicValue)
        #expect(drive.legs[1].split(separator: "Authorization:").count == 2)
        drive = ExchangeDrive(.direct([Self.rule(fields)]))
        #expect(drive.exchange(request(), unauthorized("Basic realm=\"r\"")).status == 401)
        #expect(drive.verdicts.isEmpty)
    }

    @Test("A-13 a client that brings Authorization gets the fields that are others, and no answer")
    func ownAuthorization() {
        var drive = ExchangeDrive(.direct([Self.rule(), .of(1, .use("staff"))]))
        let ending = drive.exchange(request("Authorization: Bearer own"), unauthorized("Basic realm=\"r\""))
        #expect(ending.status == 401)
        #expect(drive.value("Authorization", ofLeg: 0) == "Bearer own")
        #expect(drive.value("X-Key", ofLeg: 0) == "ours")
    }

    @Test("A-23 keep keeps the field that the client brings and adds the others, refuse is 403")
    func policies() {
        let fields = [("X-Key", "ours"), ("Authorization", "ApiKey ours")]
        var drive = ExchangeDrive(.direct([Self.rule(fields, clientCredential: .keep)]))
        #expect(drive.exchange(request("X-key: theirs"), ok).status == 200)
        #expect(drive.legs[0].contains("X-key: theirs") && !drive.legs[0].contains("X-Key: ours"))
        #expect(drive.value("Authorization", ofLeg: 0) == "ApiKey ours")
        _ = drive.exchange(request("Authorization: Bearer own"), ok)
        #expect(drive.value("Authorization", ofLeg: 0) == "Bearer own")
        #expect(drive.value("X-Key", ofLeg: 0) == "ours")
        drive = ExchangeDrive(.direct([Self.rule(fields, clientCredential: .refuse)]))
        let ending = drive.exchange(request("X-Key: theirs"))
        #expect(ending.status == 403 && ending.reason == "credential.client-refused")
        #expect(drive.exchange(request(), ok).status == 200)
    }

    @Test("A-23 a placeholder in a field is replaced, whatever becomes of other values")
    func placeholder() {
        for policy in [ClientCredentialPolicy.keep, .refuse] {
            var drive = ExchangeDrive(.direct([Self.rule(clientCredential: policy, placeholder: "dummy")]))
            #expect(drive.exchange(request("X-Key: dummy"), ok).status == 200)
            #expect(drive.value("X-Key", ofLeg: 0) == "ours")
            #expect(drive.exchange(request("X-Key: dummies"), ok).status == (policy == .keep ? 200 : 403))
        }
    }

    @Test("A-16 a parent's fields go to the parent, in its CONNECT too, and an origin's never go there in a CONNECT")
    func parent() {
        let rules = [Self.rule([("X-Parent", "p")], isProxy: true), Self.rule(index: 1)]
        var drive = ExchangeDrive(.behindParent(rules))
        #expect(drive.exchange(request("X-Parent: theirs"), ok).status == 200)
        #expect(drive.value("X-Parent", ofLeg: 0) == "p" && drive.value("X-Key", ofLeg: 0) == "ours")
        #expect(!drive.legs[0].contains("theirs"))
        drive = ExchangeDrive(.behindParent(rules, isTunnel: true))
        _ = drive.exchange("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443", ok)
        #expect(drive.value("X-Parent", ofLeg: 0) == "p" && drive.value("X-Key", ofLeg: 0) == nil)
    }

    @Test("A-12 what the fields brought is private to whoever asked")
    func isPrivate() {
        var drive = ExchangeDrive(.direct([Self.rule()]))
        guard case .relayed(_, let form) = drive.exchange(request(), ok) else { return #expect(Bool(false)) }
        #expect(form.isPrivate)
    }

    @Test("A-11 fields that a program prints are fetched first, told of a 401 and kept from the ledger")
    func fetched() throws {
        let program = SecretProgram(arguments: ["x"], refresh: nil, timeout: 1)
        let programs = ProgramCredential(
            programs: [program],
            answers: [],
            fieldNames: ["x-key"],
            definition: Secret(""),
            make: { .header([.init(name: "X-Key", value: $0[0])]) }
        )
        let credential = Credential(name: "key", kind: .deferred(.programs(programs)))
        let rule = Rule.of(0, .useCredential(credential), clientCredential: .replace)
        #expect(rule.isForHeader && rule.fieldNames == ["x-key"])
        var drive = ExchangeDrive(.direct([rule]))
        let source = try #require(rule.credential)
        let key = Credential.Kind.header([.init(name: "X-Key", value: Secret("ours"))])
        let fetched = Credential(fetched: key, for: source, key: CredentialKey(name: "key"))
        drive.secrets = [.fetched(fetched)]
        #expect(drive.exchange(request("X-Key: theirs"), ok).status == 200)
        #expect(drive.value("X-Key", ofLeg: 0) == "ours" && !drive.legs[0].contains("theirs"))
        #expect(drive.questions == ["secret key"] && drive.verdicts.isEmpty)
        drive.secrets = [.fetched(fetched)]
        #expect(drive.exchange(request(), unauthorized("Basic realm=\"r\"")).status == 401)
        #expect(drive.verdicts == ["rejected key"])
        let failure = LocalResponse(502, .proxyInternalError, "secret.unavailable", "It failed.")
        drive.secrets = [.failed(failure)]
        #expect(drive.exchange(request()).reason == "secret.unavailable")
        #expect(drive.legs.isEmpty)
    }
}
