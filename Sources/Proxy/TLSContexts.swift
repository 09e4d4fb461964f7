internal import Authentication
internal import Events
internal import Exchange
internal import TLS
internal import Trust

/// The TLS contexts of all policies in force, made at their first use and shared by all loops.
final class TLSContexts: Sendable {
    private struct Key: Hashable, Sendable {
        let policy: Fingerprint
        let clientIdentity: String
    }

    /// A context and the very credential that it was made with: a reload may give another one the same name (T-11).
    private struct Entry: Sendable {
        let context: TLSContext
        let credential: Credential?
    }

    private let contexts = Locked<[Key: Entry]>([:])
    private let anchors = Locked<SystemAnchors?>(nil)
    private let ofClients = Locked<TLSContext?>(nil)

    /// Reads the system's anchors, which takes some milliseconds: called once off the loops, ahead of the first use.
    func warmUp() {
        _ = try? systemAnchors()
    }

    private func systemAnchors() throws(TLSError) -> SystemAnchors {
        if let anchors = anchors.withLock({ $0 }) { return anchors }
        let read = try SystemAnchors()
        anchors.withLock { $0 = read }
        return read
    }

    /// The context for connections under this policy, with this certificate of ours.
    func context(_ security: HopSecurity) throws(TLSError) -> TLSContext {
        let key = Key(policy: security.policy.fingerprint, clientIdentity: security.clientIdentity?.name ?? "")
        if let entry = contexts.withLock({ $0[key] }), entry.credential === security.clientIdentity {
            return entry.context
        }
        let context = try TLSContext(
            policy: security.policy,
            identity: try security.clientIdentity.flatMap(Self.identity),
            systemAnchors: try systemAnchors()
        )
        let entry = Entry(context: context, credential: security.clientIdentity)
        contexts.withLock { $0[key] = entry }
        return context
    }

    /// The context for connections from clients whose TLS is opened.
    func clientSide() throws(TLSError) -> TLSContext {
        try ofClients.withLock { known throws(TLSError) in
            if let known { return known }
            let made = try TLSContext()
            known = made
            return made
        }
    }

    private static func identity(_ credential: Credential) throws(TLSError) -> ClientIdentity? {
        switch credential.kind {
        case .password, .ntHash, .digestHash, .kerberos, .token, .header, .deferred: nil
        case .clientCertificate(.pem(let certificate, let key, let passphrase)):
            try ClientIdentity(certificate: certificate.span, privateKey: key, passphrase: passphrase)
        case .clientCertificate(.pkcs12(let file, let passphrase)):
            try ClientIdentity(pkcs12: file, passphrase: passphrase)
        }
    }

    /// Forgets what the rules that are replaced needed.
    func removeAll() { contexts.withLock { $0.removeAll() } }
}
