internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Tokens

/// Why an attempt to fetch a secret failed, and what exchanges are told; nothing of it repeats a secret.
struct SecretFailure: Error {
    let kind: SecretLifetime.Failure
    /// What the endpoint asked for, in nanoseconds.
    let retryAfter: Nanoseconds?
    let response: LocalResponse
    /// What the log is told besides, of use to the operator alone.
    let detail: String

    init(
        _ kind: SecretLifetime.Failure,
        retryAfter: Nanoseconds? = nil,
        error: ProxyErrorType = .proxyInternalError,
        code: String,
        _ explanation: String,
        detail: String = ""
    ) {
        self.kind = kind
        self.retryAfter = retryAfter
        response = LocalResponse(502, error, code, explanation)
        self.detail = detail
    }

    /// A program, a file or whatever else that isn't asked over the network didn't give the secret of that name.
    static func unavailable(_ name: String, _ why: String, detail: String = "") -> SecretFailure {
        SecretFailure(
            .lasting,
            code: "secret.unavailable",
            "The secret of the credential '\(name)' can't be had: \(why).",
            detail: detail
        )
    }
}

extension SecretAnswer {
    /// There is nothing for the credential of that name.
    static func unavailable(_ name: String, _ why: String) -> SecretAnswer {
        .failed(SecretFailure.unavailable(name, why).response)
    }
}

/// What a server thought of something that a helper had given.
struct SecretVerdict: Sendable {
    let credential: Credential
    /// The ledger's key of the helper.
    let key: CredentialKey
    let server: Origin
    let isRight: Bool
}

/// What fetching needs of the rest of the process.
struct SecretMeans: Sendable {
    let connecting: ConnectingMeans
    /// Where files that hold secrets are read.
    let files = WorkLane("secret files")
    let log: ProxyLog
}

extension Credential {
    /// How long what is fetched for it rests between fetches.
    var terms: SecretLifetime.Terms {
        var terms = SecretLifetime.Terms()
        // A program may ask somebody, or count wrong answers.
        if case .programs = deferred { terms.refusalRest = .seconds(60) }
        return terms
    }

    /// What was fetched for this one: itself where that is the same secret.
    func fetched(_ kind: Kind, _ key: CredentialKey, _ ledger: SharedLedger) -> Credential {
        let same = hasSameSecret(as: Credential(name: name, kind: kind, persistence: persistence))
        return same ? self : ledger.admit(kind, for: self, under: key)
    }
}
