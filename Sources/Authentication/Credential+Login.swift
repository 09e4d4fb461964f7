package import Crypto

extension Credential {
    /// What it logs in with, by which the ledger tells whether it changed.
    package struct Login: Sendable {
        package let username: [UInt8]
        /// The domain, or what else the secret is bound to.
        package let domain: String
        package let secret: Secret
    }

    /// What it logs in with; nil for what the ledger has no say about.
    package var login: Login? {
        switch kind {
        case .password(let username, let domain, let password):
            Login(username: username, domain: domain ?? "", secret: password)
        case .ntHash(let username, let domain, let hash):
            Login(username: username, domain: domain ?? "", secret: hash)
        case .digestHash(let username, let realm, let hash):
            Login(username: username, domain: String(decoding: realm, as: UTF8.self), secret: hash)
        case .kerberos(let kerberos): kerberos.login
        case .token(let token, _): Login(username: [], domain: "", secret: token)
        case .header, .clientCertificate, .deferred: nil
        }
    }
}

extension KerberosCredential {
    fileprivate var login: Credential.Login {
        let secret: Secret =
            switch source {
            case .defaultCache: Secret("")
            case .cache(let name): Secret(name)
            case .keytab(_, let content): content
            case .password(let password): password
            }
        return Credential.Login(username: Array((principal ?? "").utf8), domain: "kerberos", secret: secret)
    }
}
