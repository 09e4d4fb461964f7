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
    /// Who mints leafs for hosts whose TLS is opened; nil where none is.
    let mint: LeafMint?
    /// Some request has to wait for an answer before it begins.
    let asksFirst: Bool
    /// Who may log in at each port, in the order of the ports; nil where nobody has to.
    let logins: [LoginFile?]
    /// The PAC files that routes name.
    let pacConfigurations: Set<PACConfiguration>
    /// Clients of one address are told apart by their users: some rule names one, or connections belong to clients (C-1).
    let asksForUsers: Bool
    /// What the file says of each port that is open, in the order of the ports; of one that it no longer names, what it
    /// said at the start.
    let listeners: [ListenerConfiguration]

    /// Some route's hops are to be asked of a PAC file.
    var asksPAC: Bool { !pacConfigurations.isEmpty }

    init(
        _ configuration: ServerConfiguration,
        open: [ListenerConfiguration],
        keys: [String: CredentialKey],
        mint: LeafMint?,
        pseudonym: String,
        instead old: Policy? = nil
    ) {
        self.mint = mint
        self.configuration = configuration
        asksForUsers = configuration.namesUsers || configuration.rules.hasHandshakes
        listeners = open.map { old in configuration.listeners.first { $0.address == old.address } ?? old }
        var files = old?.logins.compactMap(\.self) ?? []
        logins = listeners.map { listener in
            let requirement = listener.require ?? configuration.access.require
            guard listener.mode.takesLogin, let file = LoginFile.file(requirement, among: files) else { return nil }
            files.append(file)
            return file
        }
        pacConfigurations = Set(configuration.routes.routes.compactMap(\.route.pacConfiguration))
        asksFirst =
            !pacConfigurations.isEmpty || logins.contains { $0 != nil }
            || configuration.access.destinations.denyAddresses
        self.keys = keys
        limits = Limits(
            head: configuration.limits.head,
            fields: configuration.limits.fields,
            target: configuration.limits.target
        )
        admission = RequestAdmission(http: configuration.http, pseudonym: pseudonym)
    }
}

extension ListenerConfiguration.Mode {
    /// Its clients have a way to log in.
    var takesLogin: Bool {
        switch self {
        case .forward, .socks5: true
        case .fixed, .tunnel, .transparent: false
        }
    }
}

extension Route {
    /// The PAC file that is asked for its hops.
    fileprivate var pacConfiguration: PACConfiguration? {
        if case .pac(let configuration, _) = choice { return configuration }
        return nil
    }
}
