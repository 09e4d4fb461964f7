internal import Bytes
internal import Rules
internal import TLS

/// What `ca init` is asked to make.
struct AuthorityTerms: Equatable {
    let directory: String?
    /// Both or neither.
    let certificate: String?
    let key: String?
    /// As they were written, for the rule file; none: it may issue for anything.
    let hosts: [String]
    let constraints: [CertificateAuthority.Constraint]
    let name: String?
    let days: Int
    let replaces: Bool

    init(_ options: CommandLineOptions) throws(UsageError) {
        directory = options.value(.directory)
        certificate = options.value(.certificate)
        key = options.value(.key)
        guard (certificate == nil) == (key == nil) else {
            throw UsageError("'--certificate' and '--key' go together", .ca)
        }
        guard directory == nil || certificate == nil else {
            throw UsageError("'--directory' has no place beside '--certificate' and '--key'", .ca)
        }
        guard ![directory, certificate, key].contains("") else { throw UsageError("a file's name is empty", .ca) }
        hosts = options.all(.host)
        var constraints: [CertificateAuthority.Constraint] = []
        for host in hosts { constraints.append(try Self.constraint(host)) }
        self.constraints = constraints
        name = options.value(.commonName)
        guard name.map({ (1...64).contains($0.unicodeScalars.count) }) ?? true else {
            throw UsageError("'--name' takes 1 to 64 characters", .ca)
        }
        let text = options.value(.days) ?? "3650"
        guard let days = Int(text), (1...7300).contains(days) else {
            throw UsageError("'--days' takes a number from 1 to 7300, not '\(text)'", .ca)
        }
        self.days = days
        replaces = options.contains(.force)
    }

    private static func constraint(_ text: String) throws(UsageError) -> CertificateAuthority.Constraint {
        do throws(HostPatternError) {
            if let constraint = CertificateAuthority.Constraint(try HostPattern(text)) { return constraint }
        } catch {
            throw UsageError("'--host \(text)': \(error.message)", .ca)
        }
        throw UsageError("'--host *' narrows nothing: leave it out", .ca)
    }
}

extension CertificateAuthority.Constraint {
    /// The narrowest that a certificate can say: names always with all below them [RFC 5280 s.4.2.1.10]; nil: nothing.
    init?(_ pattern: HostPattern) {
        switch pattern.form {
        case .exact(let name), .oneLabel(let name), .domain(let name): self = .name(name)
        case .address(let address): self = .network(IPNetwork(address))
        case .network(let network): self = .network(network)
        case .any: return nil
        }
    }
}

/// Which authorities `ca show` tells about.
struct AuthorityQuestion: Equatable {
    /// Files of certificates, or rule files; none: the usual rule file.
    let files: [String]
    /// The private key of the one certificate file.
    let key: String?

    init(_ options: CommandLineOptions) throws(UsageError) {
        files = options.all(.config) + options.operands.dropFirst()
        key = options.value(.key)
        if key != nil, files.count != 1 { throw UsageError("'--key' needs one FILE, the certificate", .ca) }
    }
}

extension Invocation {
    /// `ca init` or `ca show`, each with its own options.
    static func authority(_ options: CommandLineOptions) throws(UsageError) -> Invocation {
        switch options.operands.first {
        case "init":
            try refuseOperands(options.operands.dropFirst(), .ca)
            try refuse([.config], of: options, "init")
            return .makeAuthority(try AuthorityTerms(options))
        case "show":
            try refuse([.directory, .certificate, .host, .commonName, .days, .force], of: options, "show")
            return .showAuthority(try AuthorityQuestion(options))
        case let other?: throw UsageError("unexpected '\(other)'", .ca)
        case nil: throw UsageError("'init' or 'show' is missing", .ca)
        }
    }

    private static func refuse(
        _ foreign: [CommandLineOptions.Option],
        of options: CommandLineOptions,
        _ word: String
    ) throws(UsageError) {
        if let option = foreign.first(where: options.contains) {
            throw UsageError("option '--\(option.name)' has no place in 'ca \(word)'", .ca)
        }
    }
}
