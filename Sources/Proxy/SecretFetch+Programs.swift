internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange

/// What programs printed, as long as it is used.
struct ProgramOutputs {
    private struct Output {
        let secret: Secret
        let at: Instant
    }

    /// A program isn't asked again sooner because of a refusal.
    private static let refusalRest: Nanoseconds = .seconds(60)

    private var outputs: [SecretProgram: Output] = [:]

    /// What `program` printed, where that still holds.
    func output(of program: SecretProgram, at now: Instant) -> Secret? {
        guard let output = outputs[program] else { return nil }
        guard let refresh = program.refresh else { return output.secret }
        return now.since(output.at) < refresh ? output.secret : nil
    }

    mutating func keep(_ secret: Secret, of program: SecretProgram, at now: Instant) {
        outputs[program] = Output(secret: secret, at: now)
    }

    /// Forgets what is to be printed anew: what is read again and again, and with `isRefused` all.
    mutating func renew(isRefused: Bool) {
        outputs = isRefused ? [:] : outputs.filter { $0.key.refresh == nil }
    }

    /// Something made of it was refused.
    mutating func refused(at now: Instant) {
        outputs = outputs.filter { now.since($0.value.at) < Self.refusalRest }
    }
}

extension SecretFetch {
    /// Has the programs run whose output isn't known, and makes of all outputs what the rule file says.
    func runPrograms(of credential: ProgramCredential) {
        // What an endpoint needs holds as long as it says; a refused token isn't its fault.
        if !fetcher.endpointClients.contains(key) {
            fetcher.outputs[key, default: ProgramOutputs()].renew(isRefused: errand.isRefused)
        }
        let sent = loop.now
        collect(credential.programs[...], of: key) { [unowned self] secrets in
            guard let kind = credential.make(secrets) else {
                return failed(.unavailable(name, "what its programs print doesn't fit it"))
            }
            if case .deferred(.oauth2(let client)) = kind {
                fetcher.endpointClients.insert(key)
                return askEndpoint(of: client)
            }
            let refresh = credential.programs.compactMap(\.refresh).min()
            obtained(kind, sent: sent, lifetime: refresh)
        }
    }

    /// Has programs run, one after the other, and lends what they printed, each less one newline at its end.
    func collect(
        _ programs: ArraySlice<SecretProgram>,
        of key: CredentialKey,
        _ known: [Secret] = [],
        then use: @escaping ([Secret]) -> Void
    ) {
        guard let program = programs.first else { return use(known) }
        let rest = programs.dropFirst()
        if let secret = fetcher.outputs[key]?.output(of: program, at: loop.now) {
            return collect(rest, of: key, known + [secret], then: use)
        }
        run(program.arguments, input: nil, timeout: program.timeout, of: key) { [unowned self] printed in
            let secret = printed.withoutNewline
            guard !secret.isEmpty else { return failed(.unavailable(name, "its program printed nothing")) }
            fetcher.outputs[key, default: ProgramOutputs()].keep(secret, of: program, at: loop.now)
            collect(rest, of: key, known + [secret], then: use)
        }
    }

    /// Runs one program in its turn; where it fails, so does the attempt.
    func run(
        _ arguments: [String],
        input: Secret?,
        timeout: Nanoseconds,
        of key: CredentialKey,
        then use: @escaping (Secret) -> Void
    ) {
        let job = ProgramQueue.Job(arguments: arguments, input: input, timeout: timeout) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let printed): use(printed)
            case .failure(.notStarted(let reason)):
                failed(.unavailable(name, "its program can't be started", detail: reason))
            case .failure(let failure): failed(.unavailable(name, failure.text))
            }
        }
        fetcher.programs.run(job, for: key)
    }
}
