internal import Bytes
package import Crypto

/// What the rule file calls a credential: a named secret and whom it stands for. It is immutable and prints no secret.
package final class Credential: Sendable {
    /// What it is made of.
    package enum Kind: Sendable {
        /// The name as UTF-8, without its domain.
        case password(username: [UInt8], domain: String?, password: Secret)
        /// The name without its domain, and the 16 bytes of the NT hash of its password [MS-NLMP, section 3.3.1].
        case ntHash(username: [UInt8], domain: String?, hash: Secret)
        /// H(user:realm:password) in hex, of one realm [RFC 7616, section 3.4.2].
        case digestHash(username: [UInt8], realm: [UInt8], hash: Secret)
        case kerberos(KerberosCredential)
        /// A token as a Bearer value has it [RFC 6750, section 2.1], and the file that it was read from, if any.
        case token(Secret, file: String?)
        /// Fields that are added to requests.
        case header([HeaderSecret])
        /// What the TLS library makes a certificate and its key of.
        case clientCertificate(ClientCertificate)
        /// Something that is fetched when it is first used.
        case deferred(DeferredCredential)
    }

    /// A field whose value is a secret.
    package struct HeaderSecret: Equatable, Sendable {
        /// As it is written.
        package let name: String
        package let value: Secret

        package init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// How long what was learned with it is kept.
    package enum Persistence: UInt8, Sendable {
        /// Used ahead of time while the process lives.
        case session
        /// Never: each exchange starts from the challenge.
        case none
    }

    /// Its name in the rule file, which log and ledger show.
    package let name: String
    package let kind: Kind
    package let persistence: Persistence
    /// The deferred credential that this one was fetched for; nil for one of the rule file.
    package let source: Credential?
    /// The ledger's key of one that was fetched.
    package let key: CredentialKey?

    /// A credential; `canAnswerBasic` and `hasControlCharacter` tell what the rule file must refuse.
    package init(name: String, kind: Kind, persistence: Persistence = .session) {
        self.name = name
        self.kind = kind
        self.persistence = persistence
        source = nil
        key = nil
    }

    /// What was fetched for the deferred `source`, under that key of the ledger's.
    package init(fetched kind: Kind, for source: Credential, key: CredentialKey) {
        name = source.name
        persistence = source.persistence
        self.kind = kind
        self.source = source
        self.key = key
    }

    /// A credential of a name and a password, from their text.
    package convenience init(
        name: String,
        username: String,
        domain: String? = nil,
        password: Secret,
        persistence: Persistence = .session
    ) {
        let kind = Kind.password(username: Array(username.utf8), domain: domain, password: password)
        self.init(name: name, kind: kind, persistence: persistence)
    }

    /// The methods that its kind can answer.
    package var answers: Set<AuthenticationMethod> {
        switch kind {
        case .password: [.basic, .digest, .ntlm, .negotiate]
        case .ntHash: [.ntlm]
        case .digestHash: [.digest]
        case .kerberos: [.negotiate]
        case .token: [.bearer]
        case .header: []
        case .clientCertificate: [.clientCertificate]
        case .deferred(let deferred): deferred.answers
        }
    }

    /// Whether Basic can carry it: its name has no colon [RFC 7617, section 2].
    package var canAnswerBasic: Bool {
        if case .password(let username, _, _) = kind { !username.contains(UInt8(ascii: ":")) } else { false }
    }

    /// Whether its name or its secret has a control character, which neither Basic nor Digest allows.
    package var hasControlCharacter: Bool {
        switch kind {
        case .password(let username, _, let password):
            username.contains(where: ASCII.isControl) || password.withBytes(Credential.hasControlCharacter)
        case .digestHash(let username, _, _): username.contains(where: ASCII.isControl)
        case .ntHash, .kerberos, .token, .header, .clientCertificate, .deferred: false
        }
    }

    /// Whether both have the same secret for the same name, so that nothing has changed for the ledger.
    package func hasSameSecret(as other: Credential) -> Bool {
        switch (kind, other.kind) {
        case (.password(let username, let domain, let password), .password(let name, let area, let word)):
            username == name && domain == area && password == word
        case (.ntHash(let username, let domain, let hash), .ntHash(let name, let area, let other)):
            username == name && domain == area && hash == other
        case (.digestHash(let username, let realm, let hash), .digestHash(let name, let area, let other)):
            username == name && realm == area && hash == other
        case (.kerberos(let left), .kerberos(let right)): left == right
        case (.token(let left, _), .token(let right, _)): left == right
        case (.header(let left), .header(let right)): left == right
        case (.clientCertificate(let left), .clientCertificate(let right)): left == right
        case (.deferred(let left), .deferred(let right)): left.isSame(as: right)
        case (.password, _), (.ntHash, _), (.digestHash, _), (.kerberos, _), (.token, _), (.header, _),
            (.clientCertificate, _), (.deferred, _):
            false
        }
    }

    /// What is to be fetched before it can be used; nil where it can be used as it is.
    package var deferred: DeferredCredential? {
        if case .deferred(let deferred) = kind { deferred } else { nil }
    }

    /// Whether it is a token that was fetched.
    package var isFetchedToken: Bool {
        guard source != nil, case .token = kind else { return false }
        return true
    }

    /// Whether it adds fields to requests and answers no challenge.
    package var isHeader: Bool {
        switch kind {
        case .header: true
        case .deferred(.programs(let credential)): !credential.fieldNames.isEmpty
        case .password, .ntHash, .digestHash, .kerberos, .token, .clientCertificate, .deferred: false
        }
    }

    /// The fields that it adds to requests, in lower case.
    package var fieldNames: [String] {
        switch kind {
        case .header(let fields): fields.map { $0.name.lowercased() }
        case .deferred(.programs(let credential)): credential.fieldNames
        case .password, .ntHash, .digestHash, .kerberos, .token, .clientCertificate, .deferred: []
        }
    }

    /// Whether it is shown within TLS and answers no challenge of HTTP.
    package var isClientCertificate: Bool {
        switch kind {
        case .clientCertificate: true
        case .deferred(let deferred): deferred.answers == [.clientCertificate]
        case .password, .ntHash, .digestHash, .kerberos, .token, .header: false
        }
    }

    private static func hasControlCharacter(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where ASCII.isControl(bytes[index]) { return true }
        return false
    }
}
