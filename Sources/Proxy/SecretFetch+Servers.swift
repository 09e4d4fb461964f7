internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Tokens

/// What depends on the server that asks: git's credential helpers and netrc files.
extension SecretFetch {
    /// How long a helper may run.
    static let helperTimeout: Nanoseconds = .seconds(10)
    /// How long it holds that a helper has nothing for a server.
    private static let restOfNone: Nanoseconds = .seconds(30)
    /// How long holds what stands in a netrc file, or doesn't; somebody may change it.
    private static let netrcLifetime: Nanoseconds = .seconds(60)

    /// Asks a helper for what it has for the server.
    func askHelper(_ arguments: [String]) {
        guard var text = CredentialHelperText.request(for: errand.question.server) else {
            return failed(.unavailable(name, "a helper can't be asked for such a server"))
        }
        let sent = loop.now
        let input = Secret(wiping: &text)
        run(arguments + ["get"], input: input, timeout: Self.helperTimeout, of: key) { [unowned self] printed in
            let now = loop.unixSeconds
            switch printed.withBytes({ CredentialHelperText.answer($0, now: now) }) {
            case .found(let kind, let expires):
                if case .token(let token, _) = kind, !token.withBytes({ TokenResponse.isToken($0) }) {
                    return failed(.unavailable(name, "what its helper printed is no token"))
                }
                let lifetime = expires.map { Nanoseconds.seconds(UInt64(min(max(0, $0 - now), 1 << 32))) }
                obtained(kind, sent: loop.now, lifetime: lifetime)
            case .none, .quit: obtained(nil, sent: sent, lifetime: Self.restOfNone)
            case .failed(let what): failed(.unavailable(name, "its helper printed \(what)"))
            }
        }
    }

    /// Looks for the server's host in a netrc file.
    func readNetrc(_ path: String) {
        let sent = loop.now
        let host = errand.question.server.host
        read(path) { [unowned self] result in
            let content: Secret
            switch result {
            case .success(let read): content = read
            case .failure(let error):
                return failed(.unavailable(name, "its netrc file can't be read", detail: error.reason))
            }
            switch content.withBytes({ NetrcFile.entry(for: host, in: $0) }) {
            case .login(let username, let password):
                let kind = Credential.Kind.password(username: username, domain: nil, password: password)
                obtained(kind, sent: sent, lifetime: Self.netrcLifetime)
            case .none: obtained(nil, sent: sent, lifetime: Self.netrcLifetime)
            case .malformed(let line): failed(.unavailable(name, "line \(line) of its netrc file can't be read"))
            }
        }
    }
}

extension SecretFetcher {
    /// Tells a helper what a server thought of what it gave; what it makes of that is its own affair.
    func tell(_ verdict: SecretVerdict) {
        guard case .helper(let arguments) = verdict.credential.source?.deferred else { return }
        let kind = verdict.credential.kind
        guard var text = CredentialHelperText.request(for: verdict.server, credential: kind) else { return }
        let job = ProgramQueue.Job(
            arguments: arguments + [verdict.isRight ? "store" : "erase"],
            input: Secret(wiping: &text),
            timeout: SecretFetch.helperTimeout,
            told: { _ in }
        )
        programs.run(job, for: verdict.key)
    }
}
