import Authentication
import Bytes
import Crypto
import Exchange
import HTTP
import Rules
import Testing

/// Credentials that are fetched when they are first used, and tokens.
@Suite("Fetched secrets")
struct FetchedSecretTests {
    private static let get = "GET http://a.example/x HTTP/1.1\r\nHost: a.example"
    private static let basic = "HTTP/1.1 401 U\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
    private static let bearer =
        "HTTP/1.1 401 U\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\nContent-Length: 0"
    private static let scope =
        "HTTP/1.1 403 F\r\nWWW-Authenticate: Bearer error=\"insufficient_scope\"\r\nContent-Length: 0"
    private static let okay = "HTTP/1.1 200 OK\r\nContent-Length: 0"

    private static let helper = Credential(name: "helper", kind: .deferred(.helper(["h"])))
    private static let endpoint = Credential(
        name: "api",
        kind: .deferred(.oauth2(OAuth2Credential(tokenEndpoint: "https://t", clientID: Secret("c"), clientSecret: nil)))
    )

    private static func token(_ text: String, _ generation: UInt32 = 1) -> SecretAnswer {
        let key = CredentialKey(name: "api", generation: generation)
        return .fetched(Credential(fetched: .token(Secret(text), file: nil), for: endpoint, key: key))
    }

    private static func login(_ password: String) -> SecretAnswer {
        let kind = Credential.Kind.password(username: Array("user".utf8), domain: nil, password: Secret(password))
        return .fetched(Credential(fetched: kind, for: helper, key: CredentialKey(name: "helper", generation: 1)))
    }

    private static func drive(_ credential: Credential, _ secrets: [SecretAnswer]) -> ExchangeDrive {
        var drive = ExchangeDrive(.direct([.of(0, .useCredential(credential))]))
        drive.secrets = secrets
        return drive
    }

    @Test("A-17 a helper is asked when its credential is first used, and again for what goes ahead later")
    func helper() {
        let login = Self.login("pass")
        var drive = Self.drive(Self.helper, [login, login])
        #expect(drive.exchange(Self.get, Self.basic, Self.okay).status == 200)
        #expect(drive.value("Authorization", ofLeg: 0) == nil)
        #expect(drive.value("Authorization", ofLeg: 1) == basicValue)
        #expect(drive.questions == ["secret helper"])
        #expect(drive.verdicts == ["confirmed helper"])
        #expect(drive.exchange(Self.get, Self.okay).status == 200)
        #expect(drive.value("Authorization", ofLeg: 0) == basicValue)
        #expect(drive.questions == ["secret helper"])
    }

    @Test("A-17 one that has no login for the server leaves the challenge to the next candidate, or the client")
    func noEntry() {
        var drive = Self.drive(Self.helper, [.none])
        let ending = drive.exchange(Self.get, Self.basic)
        #expect(ending.status == 401)
        #expect(ending.reason == "credential.no-entry")
    }

    @Test("A-24 a secret that can't be had is that exchange's failure")
    func unavailable() {
        let failure = LocalResponse(502, .proxyInternalError, "secret.unavailable", "")
        var drive = Self.drive(Self.helper, [.failed(failure)])
        let ending = drive.exchange(Self.get, Self.basic)
        #expect(ending.status == 502)
        #expect(ending.reason == "secret.unavailable")
        #expect(drive.verdicts.isEmpty)
    }

    @Test("A-10 a refused token is fetched anew once, and the new one is used")
    func fetchedAnew() {
        var drive = Self.drive(Self.endpoint, [Self.token("old"), Self.token("new", 2)])
        #expect(drive.exchange(Self.get, Self.bearer, Self.bearer, Self.okay).status == 200)
        #expect(drive.value("Authorization", ofLeg: 1) == "Bearer old")
        #expect(drive.value("Authorization", ofLeg: 2) == "Bearer new")
        #expect(drive.questions == ["secret api", "secret api anew"])
        #expect(drive.verdicts == ["no verdict on api", "confirmed api"])
    }

    @Test("A-10 the same token again, or a second refusal, is told and counts as a rejection")
    func sameToken() {
        var drive = Self.drive(Self.endpoint, [Self.token("old"), Self.token("old")])
        let ending = drive.exchange(Self.get, Self.bearer, Self.bearer)
        #expect(ending.status == 401)
        #expect(ending.reason == "credential.rejected")
        #expect(drive.legs.count == 2)
        #expect(drive.verdicts == ["no verdict on api", "rejected api"])
        var other = Self.drive(Self.endpoint, [Self.token("old"), Self.token("new", 2)])
        #expect(other.exchange(Self.get, Self.bearer, Self.bearer, Self.bearer).reason == "credential.rejected")
        #expect(other.legs.count == 3)
    }

    @Test("A-10 insufficient_scope is no rejection, and fetches nothing")
    func insufficientScope() {
        var drive = Self.drive(Self.endpoint, [Self.token("old")])
        let scope = Self.scope.replacing("403 F", with: "401 U")
        let ending = drive.exchange(Self.get, Self.bearer, scope)
        #expect(ending.status == 401)
        #expect(ending.reason == "bearer.insufficient-scope")
        #expect(drive.verdicts == ["no verdict on api"])
        #expect(drive.questions == ["secret api"])
    }

    @Test("A-10 a token of the rule file that can't be read again is rejected at once")
    func fixedToken() {
        let credential = Credential(name: "key", kind: .token(Secret("t0ken"), file: nil))
        var drive = Self.drive(credential, [])
        let ending = drive.exchange(Self.get, Self.bearer, Self.bearer)
        #expect(ending.reason == "credential.rejected")
        #expect(drive.value("Authorization", ofLeg: 1) == "Bearer t0ken")
        #expect(drive.questions.isEmpty)
    }
}
