package import Authentication
package import Bytes

/// Where in the rule file something stands.
package struct SourcePlace: Hashable, Sendable {
    /// The path of the file as it was opened.
    package let file: String
    /// Counted from 1; 0 where there is no line.
    package let line: Int

    /// A place in a file.
    package init(file: String = "", line: Int) {
        self.file = file
        self.line = line
    }
}

/// What becomes of a challenge.
package enum Disposition: Sendable {
    /// It is answered with this credential.
    case useCredential(Credential)
    /// It goes to the client as it came.
    case performDefaultHandling
    /// The space is passed over, the next offer is looked at.
    case rejectProtectionSpace
    /// The exchange ends with 502.
    case cancelAuthenticationChallenge
}

/// When a rule's credential is sent before a challenge of the exchange.
package enum Preemption: Hashable, Sendable {
    /// Into spaces that have been learned.
    case learned
    /// On the first request, too.
    case always
    /// Each exchange starts from its challenge.
    case never
}

/// What becomes of a credential that the request brings itself.
package enum ClientCredentialPolicy: Hashable, Sendable {
    case keep, replace, refuse
}

/// One rule: the spaces that it is about, what it says of their challenges, and within which bounds.
package final class Rule: Sendable {
    /// Its place in file order; the rules of parents follow those of the file.
    package let index: Int
    /// For the log, as `rules[3]` or `proxies.corp.use[0]`.
    package let name: String
    /// Where it stands.
    package let place: SourcePlace
    /// The spaces that it is about.
    package let space: ProtectionSpacePattern
    /// What it says of their challenges.
    package let disposition: Disposition
    /// Whose requests it is about; nil: anyone's.
    package let clients: [ClientPattern]?
    /// When its credential is sent ahead.
    package let preempt: Preemption
    /// Rejections after which the credential is withheld.
    package let maxFailures: Int
    /// How long a credential is withheld; nil: until its secret changes.
    package let withholdFor: Nanoseconds?
    /// The methods that may be used without TLS.
    package let cleartext: MethodSet
    /// Whether it answers for requests that a browser marked as cross-site.
    package let allowsCrossSite: Bool
    /// What becomes of a credential that a request brings itself.
    package let clientCredential: ClientCredentialPolicy
    /// What a client sends where the secret belongs; nil: none.
    package let placeholder: [UInt8]?
    /// The charset of basic and digest when the challenge names none.
    package let charset: Charset
    /// Whether a wrong rspauth ends the exchange.
    package let verifiesServer: Bool
    /// The methods that the rule meets: what its credential answers, narrowed by its own list; all for a disposition.
    package let methods: MethodSet

    /// The fields that its credential adds, in lower case.
    package let fieldNames: [String]

    /// A rule from all that is written of it; what is left out is the rule file's default.
    package init(
        index: Int,
        name: String,
        place: SourcePlace,
        space: ProtectionSpacePattern,
        disposition: Disposition,
        clients: [ClientPattern]? = nil,
        preempt: Preemption = .learned,
        maxFailures: Int = 1,
        withholdFor: Nanoseconds? = nil,
        cleartext: MethodSet = [],
        allowsCrossSite: Bool = false,
        clientCredential: ClientCredentialPolicy = .keep,
        placeholder: [UInt8]? = nil,
        charset: Charset = .utf8,
        verifiesServer: Bool = false
    ) {
        self.index = index
        self.name = name
        self.place = place
        self.space = space
        self.disposition = disposition
        self.clients = clients
        self.preempt = preempt
        self.maxFailures = maxFailures
        self.withholdFor = withholdFor
        self.cleartext = cleartext
        self.allowsCrossSite = allowsCrossSite
        self.clientCredential = clientCredential
        self.placeholder = placeholder
        self.charset = charset
        self.verifiesServer = verifiesServer
        fieldNames = if case .useCredential(let credential) = disposition { credential.fieldNames } else { [] }
        let answered: MethodSet =
            if case .useCredential(let credential) = disposition { MethodSet(credential.answers) } else { .all }
        methods = space.methods.map { answered.intersection(MethodSet($0)) } ?? answered
    }

    /// The line in its file, counted from 1.
    package var line: Int { place.line }

    /// The credential that it uses, if that is what it says.
    package var credential: Credential? {
        if case .useCredential(let credential) = disposition { credential } else { nil }
    }

    /// The method by which it is sent ahead on the first request, if it answers one that needs no challenge.
    package var methodWithoutChallenge: AuthenticationMethod? {
        credential?.methodWithoutChallenge(among: space.methods)
    }

    /// What it sends: the methods that it meets, or the fields that it adds.
    package var sends: MethodSet { isForHeader ? .header : methods }

    /// Whether its credential adds fields to requests, which answer no challenge.
    package var isForHeader: Bool { credential?.isHeader ?? false }

    /// Whether its credential is shown within TLS, so that no challenge of HTTP ever meets it.
    package var isForClientCertificate: Bool { credential?.isClientCertificate ?? false }

    /// Whether it is about requests of this client.
    package func admits(_ client: Client) -> Bool {
        guard let clients else { return true }
        return clients.contains { $0.matches(client) }
    }
}
