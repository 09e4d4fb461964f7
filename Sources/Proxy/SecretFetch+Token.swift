internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import Tokens

extension SecretFetch {
    /// What a token endpoint may send: more is no token response.
    private static let longestBody = 1024 * 1024
    /// How long a response may be on its way, unless `response_head` is shorter.
    private static let patience: Nanoseconds = .seconds(20)

    /// Asks the endpoint of `client` for a token.
    func askEndpoint(of client: OAuth2Credential) {
        guard let certificate = client.clientCertificate, case .programs(let deferred) = certificate.deferred else {
            return askEndpoint(of: client, showing: client.clientCertificate)
        }
        let key = errand.policy.keys[certificate.name] ?? CredentialKey(name: certificate.name)
        collect(deferred.programs[...], of: key) { [unowned self] secrets in
            guard let kind = deferred.make(secrets) else {
                return failed(.unavailable(certificate.name, "what its programs print doesn't fit it"))
            }
            askEndpoint(of: client, showing: fetcher.admit(kind, for: certificate, under: key))
        }
    }

    /// Asks the endpoint, which gets to see `certificate` where it wants one (T-7).
    private func askEndpoint(of client: OAuth2Credential, showing certificate: Credential?) {
        guard let request = TokenRequest(for: client) else {
            return failed(.unavailable(name, "'token_endpoint' is no http or https URL"))
        }
        let configuration = errand.policy.configuration
        let origin = request.resource.origin
        let isSecure = origin.scheme == .https
        let peer = DirectConnection.Peer(
            origin: origin,
            security: isSecure ? configuration.security(of: origin, showing: certificate) : nil,
            timeouts: configuration.timeouts
        )
        let message = EndpointRequest.Message(
            method: .post,
            bytes: request.message,
            timeout: min(configuration.timeouts.responseHead, Self.patience),
            longestBody: Self.longestBody
        )
        let sent = loop.now
        let endpoint = EndpointRequest(message, to: peer, by: means) { [unowned self] failure, response in
            self.request = nil
            if let failure { return self.failed(self.failure(failure)) }
            self.take(response, sent: sent)
        }
        self.request = endpoint
        endpoint.start()
    }

    private func take(_ response: borrowing WholeResponse, sent: Instant) {
        let status = response.head.status
        switch TokenResponse(status: status, body: response.body.span) {
        case .token(let token, let lifetime): obtained(.token(token, file: nil), sent: sent, lifetime: lifetime)
        case .malformed(let fault): failed(malformed(fault.rawValue))
        case .refused where 300..<400 ~= status: failed(malformed("it answered \(status), a redirection"))
        case .refused(let error):
            let pause = RetryAfter.nanoseconds(in: response.head.fields, unixSeconds: loop.unixSeconds)
            let answer = "answered \(status)\(error.map { " (\($0))" } ?? "")"
            if status >= 500 { return failed(passing("token.endpoint-failed", answer, retryAfter: pause)) }
            // What programs said of the client may be outdated.
            fetcher.outputs[key]?.refused(at: loop.now)
            failed(
                SecretFailure(
                    .lasting,
                    retryAfter: pause,
                    error: .proxyConfigurationError,
                    code: "token.refused",
                    "The token endpoint of the credential '\(name)' \(answer)."
                )
            )
        }
    }

    private func failure(_ failure: EndpointRequest.Failure) -> SecretFailure {
        switch failure {
        case .notConnected(let refusal) where refusal.kind == .untrusted:
            SecretFailure(
                .lasting,
                error: .tlsCertificateError,
                code: "token.endpoint-untrusted",
                "The token endpoint of the credential '\(name)' is refused by its trust policy.",
                detail: refusal.text
            )
        case .notConnected(let refusal) where refusal.kind == .own || refusal.kind == .unusable:
            .unavailable(name, "its token endpoint can't be asked", detail: refusal.text)
        case .noResponse(.malformed), .noResponse(.tooLong): malformed(failure.text)
        case .notConnected, .noResponse, .late:
            passing("token.endpoint-unreachable", "could not be reached", detail: failure.text)
        }
    }

    private func passing(
        _ code: String,
        _ what: String,
        retryAfter: Nanoseconds? = nil,
        detail: String = ""
    ) -> SecretFailure {
        SecretFailure(
            .passing,
            retryAfter: retryAfter,
            error: .destinationUnavailable,
            code: code,
            "The token endpoint of the credential '\(name)' \(what).",
            detail: detail
        )
    }

    private func malformed(_ what: String) -> SecretFailure {
        SecretFailure(
            .lasting,
            error: .httpProtocolError,
            code: "token.response-malformed",
            "The token endpoint of the credential '\(name)' sent no token response: \(what)."
        )
    }
}
