internal import Authentication
internal import Exchange
internal import HTTP
internal import Rules

/// One rule file in force: an exchange keeps the one that it began under.
final class Policy: Sendable {
    let configuration: ServerConfiguration
    /// The ledger's keys of the credentials, by name.
    let keys: [String: CredentialKey]
    let limits: Limits
    let admission: RequestAdmission

    init(_ configuration: ServerConfiguration, keys: [String: CredentialKey], pseudonym: String) {
        self.configuration = configuration
        self.keys = keys
        limits = Limits(
            head: configuration.limits.head,
            fields: configuration.limits.fields,
            target: configuration.limits.target
        )
        admission = RequestAdmission(http: configuration.http, pseudonym: pseudonym)
    }
}
