internal import Authentication
internal import Bytes
internal import Events
internal import GSS
internal import HTTP
internal import Proxy
internal import Rules
internal import Telemetry

extension DoctorWalk {
    /// Tells what each answer would be made of, as far as that can be seen without giving it: tickets, and what the server
    /// tells of itself.
    func tellLogins(_ answers: [Answer], _ challenged: Challenged, on way: ProbeConnection, isPersistent: Bool) {
        let negotiating = answers.filter { $0.method == .negotiate }
        for (number, answer) in negotiating.enumerated() {
            tellTicket(
                answer,
                challenged,
                isLast: answers.last?.method == .negotiate && number == negotiating.count - 1
            )
        }
        let offered = challenged.challenges.compactMap(\.method)
        guard let method = [.ntlm, .negotiate].first(where: offered.contains) else { return }
        tellBinding(way, challenged)
        let isUsed = answers.contains { $0.method == .ntlm }
        tellTarget(method, challenged, isUsed: isUsed, on: way, isPersistent: isPersistent)
    }

    // MARK: Kerberos

    private func tellTicket(_ answer: Answer, _ challenged: Challenged, isLast: Bool) {
        var step = DoctorStep(name: "\(challenged.prefix)ticket")
        defer { tell(step) }
        let login: KerberosLogin
        var choice = KerberosCredential.ServiceName.asGiven
        switch answer.credential.kind {
        case .kerberos(let kerberos):
            choice = kerberos.serviceName
            login = KerberosLogin(kerberos)
            switch kerberos.source {
            case .keytab(let path, _): tellKeytab(path, &step)
            case .password:
                return step.lines.append("'\(answer.credential.name)' logs in by a password, which isn't tried here")
            case .defaultCache, .cache: break
            }
        case .password(let username, let domain, _):
            let principal = LoginName(username: username, domain: domain).principal
            return step.lines.append(
                "'\(answer.credential.name)' logs in as \(principal) by a password, which isn't tried here"
            )
        case .ntHash, .digestHash, .token, .header, .clientCertificate, .deferred:
            return step.lines.append("'\(answer.credential.name)' is fetched when it is first used")
        }
        let (host, name) = (challenged.host, choice)
        let verdict: DoctorStep.Verdict = isLast ? .fail : .warn
        let result = Self.waiting(limit: request.limit) { () throws(GSSError) in
            try login.sighting(of: ServicePrincipalName(name, host: host))
        }
        switch result {
        case .success(let sighting)?: tellSighting(sighting, verdict, &step)
        case .failure(let error)?: step.lower(to: verdict, "\(error.code): \(error.message)", cure: error.message)
        case nil:
            step.lower(
                to: verdict,
                "lane.timeout: no KDC answered in time",
                cure: "see that krb5.conf or DNS names one that runs"
            )
        }
    }

    private func tellKeytab(_ path: String, _ step: inout DoctorStep) {
        do throws(GSSError) {
            let names = try KerberosLogin.principals(ofKeytab: path)
            step.lines.append("keytab \(path): keys of \(names.joined(separator: ", "))")
        } catch {
            step.lower(to: .warn, "keytab \(path): \(error.code): \(error.message)")
        }
    }

    private func tellSighting(_ sighting: KerberosSighting, _ verdict: DoctorStep.Verdict, _ step: inout DoctorStep) {
        let end =
            sighting.end.map { "until \(UniversalTime(unixSeconds: $0).text)" } ?? "without a ticket-granting ticket"
        step.lines.append("cache \(sighting.cache): \(sighting.principal), \(end)")
        if let failure = sighting.failure {
            step.lower(to: verdict, "\(failure.code): \(failure.message)", cure: failure.message)
        } else {
            step.lines.append("there is a ticket for \(sighting.service)")
        }
    }

    /// What `body` gives, on a thread of its own; nil where that takes too long.
    private static func waiting<Value: Sendable>(
        limit: Nanoseconds,
        _ body: @escaping @Sendable () throws(GSSError) -> Value
    ) -> Result<Value, GSSError>? {
        let result = Locked<Result<Value, GSSError>?>(nil)
        let thread = try? SystemThread("kerberos") {
            let outcome: Result<Value, GSSError>
            do throws(GSSError) { outcome = .success(try body()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
        }
        let end = Instant.monotonic.adding(nanoseconds: limit)
        while thread != nil, Instant.monotonic < end {
            if let outcome = result.withLock({ $0 }) { return outcome }
            SystemThread.sleep(.milliseconds(10))
        }
        return result.withLock { $0 }
    }

    // MARK: NTLM

    private func tellBinding(_ way: ProbeConnection, _ challenged: Challenged) {
        var step = DoctorStep(name: "\(challenged.prefix)binding")
        let type = "tls-server-end-point:"
        if let binding = way.channelBinding {
            let bits = (binding.count - type.utf8.count) * 8
            step.lines.append("Extended Protection: \(type.dropLast()) goes with the handshake, a hash of \(bits) bits")
        } else {
            step.lines.append("Extended Protection: none goes with it, since there is no TLS to this server")
        }
        tell(step)
    }

    /// Asks for the server's NTLM challenge by a message without a name.
    private func tellTarget(
        _ method: AuthenticationMethod,
        _ challenged: Challenged,
        isUsed: Bool,
        on way: ProbeConnection,
        isPersistent: Bool
    ) {
        var step = DoctorStep(name: "\(challenged.prefix)ntlm")
        guard isPersistent else {
            step.lines.append(
                "not asked: it ends the connection behind the challenge, which NTLM would have to stay on"
            )
            if isUsed { step.verdict = .warn }
            return tell(step)
        }
        let scheme = method == .ntlm ? "NTLM" : "Negotiate"
        let field = challenged.isProxy ? "Proxy-Authorization" : "Authorization"
        let question = NTLMChallenge.question
        let token = String(decoding: Base64.encode(question.span), as: UTF8.self)
        let head = challenged.head + Array("\(field): \(scheme) \(token)\r\n".utf8)
        guard let response = ask(way, head, challenged.method, &step) else {
            // What doesn't speak NTLM inside Negotiate may well end the connection.
            if !isUsed {
                step.verdict = .ok
                step.cure = nil
            }
            return tell(step)
        }
        let challenges = challenged.isProxy ? response.proxyChallenges : response.challenges
        let answer = challenges.lazy.filter { $0.method == method }.compactMap(\.token68).compactMap { token in
            Base64.decode(token.span).flatMap { NTLMChallenge($0) }
        }.first
        if let answer {
            tellTarget(answer, &step)
        } else if isUsed {
            step.lower(
                to: .fail,
                "ntlm.invalid-challenge: it answers without a challenge",
                cure: "see that NTLM is on at the server"
            )
        } else {
            step.lines.append("it answers NTLM without a challenge, and no rule answers by it")
        }
        tell(step)
    }

    private func tellTarget(_ challenge: NTLMChallenge, _ step: inout DoctorStep) {
        if !challenge.target.isEmpty { step.lines.append("target: \(challenge.target)") }
        for name in NTLMChallenge.Name.allCases {
            if let text = challenge.names[name] { step.lines.append("\(name): \(text)") }
        }
        if let time = challenge.time { tellSkew(time - now, "its NTLM challenge", &step) }
        guard let attributes = challenge.attributes else { return }
        step.lines.append("MsvAvFlags \(attributes)")
    }
}
