internal import Bytes
package import Crypto

/// What the rule file calls a credential: a named secret and whom it stands for. It is immutable and prints no secret.
package final class Credential: Sendable {
    /// What it is made of.
    package enum Kind: Sendable {
        /// The name as UTF-8, without its domain.
        case password(username: [UInt8], domain: String?, password: Secret)
        /// What the TLS library makes a certificate and its key of.
        case clientCertificate(ClientCertificate)
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

    /// A credential; `canAnswerBasic` and `hasControlCharacter` tell what the rule file must refuse.
    package init(name: String, kind: Kind, persistence: Persistence = .session) {
        self.name = name
        self.kind = kind
        self.persistence = persistence
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
        case .password: [.basic, .digest]
        case .clientCertificate: [.clientCertificate]
        }
    }

    /// Whether Basic can carry it: its name has no colon [RFC 7617, section 2].
    package var canAnswerBasic: Bool {
        switch kind {
        case .password(let username, _, _): !username.contains(UInt8(ascii: ":"))
        case .clientCertificate: false
        }
    }

    /// Whether its name or its secret has a control character, which neither Basic nor Digest allows.
    package var hasControlCharacter: Bool {
        switch kind {
        case .password(let username, _, let password):
            username.contains(where: ASCII.isControl) || password.withBytes(Credential.hasControlCharacter)
        case .clientCertificate: false
        }
    }

    /// Whether both have the same secret for the same name, so that nothing has changed for the ledger.
    package func hasSameSecret(as other: Credential) -> Bool {
        switch (kind, other.kind) {
        case (.password(let username, let domain, let password), .password(let name, let area, let word)):
            username == name && domain == area && password == word
        case (.clientCertificate(let left), .clientCertificate(let right)): left == right
        case (.password, .clientCertificate), (.clientCertificate, .password): false
        }
    }

    /// Whether it is shown within TLS and answers no challenge of HTTP.
    package var isClientCertificate: Bool {
        if case .clientCertificate = kind { true } else { false }
    }

    private static func hasControlCharacter(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where ASCII.isControl(bytes[index]) { return true }
        return false
    }
}
