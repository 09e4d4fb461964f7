internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import GSS

/// Gives exchanges the tokens of their handshakes, from the lanes krb5 and ntlm; neither waits for the other (C-3).
final class TokenService: Sendable {
    /// Somebody's tickets, and what is known of where they come from.
    private struct Entry {
        let credential: Credential
        let login: KerberosLogin
        let number: LaneSchedule.Login
        var realm: String?
    }

    private struct Logins {
        var entries: [String: Entry] = [:]
        var lastNumber: LaneSchedule.Login = 0
    }

    private let kerberos: TokenLane
    private let ntlm: TokenLane
    private let logins = Locked(Logins())

    /// A service whose answers come within `limit`; it starts nothing before it is asked.
    init(limit: Nanoseconds = .seconds(10)) {
        kerberos = TokenLane("krb5", limit: limit)
        ntlm = TokenLane("ntlm", limit: limit)
    }

    /// Asks for the next token of the handshake of `context`, one step at a time; `told` is called once, on a thread of the
    /// service's or at once.
    ///
    /// `channelBinding` is that of the TLS connection, its prefix `tls-server-end-point:` included; what the first step got
    /// holds for all.
    func step(
        _ question: TokenQuestion,
        context: TokenContext,
        channelBinding: [UInt8]?,
        told: @escaping @Sendable (TokenAnswer) -> Void
    ) {
        guard Mechanism.isBuilt else { return told(.failed(TokenFailure(.notBuilt))) }
        if let input = question.input { return proceed(question, input, context, told) }
        let start = HandshakeStart(question, channelBinding: channelBinding)
        guard start.wantsKerberos, let entry = login(for: question.credential) else {
            return beginNTLM(start, context, told)
        }
        beginKerberos(start, entry, context) { [self] answer in
            if case .failed(let failure) = answer, failure.kind == .unavailable, start.wantsNTLM {
                beginNTLM(start, context, told)
            } else {
                told(answer)
            }
        }
    }

    /// Fails what waits, and ends the threads that can be ended.
    func stop() {
        kerberos.stop()
        ntlm.stop()
    }

    // MARK: Steps

    private func beginKerberos(
        _ start: HandshakeStart,
        _ entry: Entry,
        _ context: TokenContext,
        _ told: @escaping @Sendable (TokenAnswer) -> Void
    ) {
        let login = entry.login
        let round = context.begin(in: kerberos)
        let call: @Sendable (Bool) -> TokenLane.Outcome = { mayAskKDC in
            context.start(round) { () throws(GSSError) in try start.kerberos(login, mayAskKDC: mayAskKDC) }
        }
        let job = TokenLane.Job(login: entry.number, realm: entry.realm, call: call) { [self] outcome in
            if let realm = outcome.silentRealm { note(realm, of: entry) }
            told(outcome.answer)
        }
        kerberos.submit(job)
    }

    private func beginNTLM(
        _ start: HandshakeStart,
        _ context: TokenContext,
        _ told: @escaping @Sendable (TokenAnswer) -> Void
    ) {
        let round = context.begin(in: ntlm)
        let call: @Sendable (Bool) -> TokenLane.Outcome = { _ in
            context.start(round) { () throws(GSSError) in try start.ntlm() }
        }
        ntlm.submit(TokenLane.Job(login: nil, call: call) { told($0.answer) })
    }

    private func proceed(
        _ question: TokenQuestion,
        _ input: [UInt8],
        _ context: TokenContext,
        _ told: @escaping @Sendable (TokenAnswer) -> Void
    ) {
        guard let lane = context.lane else { return told(question.isFinal ? .complete : .failed(.noHandshake)) }
        let isFinal = question.isFinal
        // No KDC is asked any more, so that it need not wait for others of the same login.
        lane.submit(
            TokenLane.Job(
                login: nil,
                call: { _ in context.proceed(input, isFinal: isFinal) },
                told: { told($0.answer) }
            )
        )
    }

    // MARK: Logins

    private func login(for credential: Credential) -> Entry? {
        logins.withLock { logins in
            if let entry = logins.entries[credential.name],
                entry.credential === credential || entry.credential.hasSameSecret(as: credential)
            {
                return entry
            }
            guard let login = KerberosLogin(credential) else { return nil }
            logins.lastNumber += 1
            let entry = Entry(
                credential: credential,
                login: login,
                number: logins.lastNumber,
                realm: login.writtenRealm
            )
            logins.entries[credential.name] = entry
            return entry
        }
    }

    private func note(_ realm: String, of entry: Entry) {
        logins.withLock { logins in
            guard logins.entries[entry.credential.name]?.number == entry.number else { return }
            logins.entries[entry.credential.name]?.realm = realm
        }
    }
}

/// What a handshake begins with.
private struct HandshakeStart: Sendable {
    private let question: TokenQuestion
    private let channelBinding: [UInt8]?

    init(_ question: TokenQuestion, channelBinding: [UInt8]?) {
        self.question = question
        self.channelBinding = channelBinding
    }

    var wantsKerberos: Bool {
        guard case .negotiate(true, _) = question.mechanism else { return false }
        switch question.credential.kind {
        case .kerberos, .password: return true
        case .ntHash, .digestHash, .token, .header, .clientCertificate, .deferred: return false
        }
    }

    var wantsNTLM: Bool {
        guard case .negotiate(_, let ntlm) = question.mechanism else { return true }
        return ntlm && login != nil
    }

    func kerberos(_ login: KerberosLogin, mayAskKDC: Bool) throws(GSSError) -> SecurityContext {
        var name = KerberosCredential.ServiceName.asGiven
        if case .kerberos(let kerberos) = question.credential.kind { name = kerberos.serviceName }
        return try SecurityContext(
            login,
            service: ServicePrincipalName(name, host: question.host),
            channelBinding: channelBinding,
            mayAskKDC: mayAskKDC
        )
    }

    func ntlm() throws(GSSError) -> SecurityContext {
        guard let login else {
            throw GSSError(.unavailable, TokenFailure.noLogin.code, TokenFailure.noLogin.message)
        }
        return try SecurityContext(
            login,
            host: question.host,
            inSPNEGO: question.mechanism != .ntlm,
            channelBinding: channelBinding
        )
    }

    private var login: NTLMLogin? {
        switch question.credential.kind {
        case .password(let username, let domain, let password):
            NTLMLogin(name: LoginName(username: username, domain: domain), proof: .password(password))
        case .ntHash(let username, let domain, let hash):
            NTLMLogin(name: LoginName(username: username, domain: domain), proof: .hash(hash))
        case .kerberos, .digestHash, .token, .header, .clientCertificate, .deferred: nil
        }
    }
}

extension KerberosLogin {
    /// The login that a credential stands for; nil where it isn't one.
    fileprivate convenience init?(_ credential: Credential) {
        switch credential.kind {
        case .kerberos(let kerberos): self.init(kerberos)
        case .password(let username, let domain, let password):
            self.init(LoginName(username: username, domain: domain), password: password)
        case .ntHash, .digestHash, .token, .header, .clientCertificate, .deferred: return nil
        }
    }
}
