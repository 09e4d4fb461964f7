internal import Bytes
internal import Configuration
internal import Events
internal import Rules
internal import TLS

/// What `env` is asked for.
struct EnvironmentRequest: Equatable {
    let config: String?
    let form: VariableForm
    /// The name of the listener; nil: the first that will do.
    let listener: String?
    /// Where the files of what to trust go; nil: beside the ledger.
    let directory: String?

    init(_ options: CommandLineOptions) throws(UsageError) {
        try Invocation.refuseOperands(options.operands, .env)
        config = options.value(.config)
        listener = options.value(.listener)
        directory = options.value(.directory)
        if directory?.isEmpty == true { throw UsageError("a folder's name is empty", .env) }
        let shell = options.value(.shell) ?? VariableForm.sh.rawValue
        guard let form = VariableForm(rawValue: shell) else {
            let known = VariableForm.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("'--shell' takes one of \(known), not '\(shell)'", .env)
        }
        self.form = form
    }
}

/// `countersign env`: the variables by which programs use the running proxy and trust its authority (O-7).
enum EnvironmentCommand {
    /// Why there is nothing to print: one line.
    private struct Failure: Error {
        let message: String
    }

    /// Prints them, and writes the files that they name; returns the exit code.
    static func printVariables(
        _ request: EnvironmentRequest,
        out: (String) -> Void,
        problem: (String) -> Void
    ) -> Int32 {
        switch RuleFilePath.load(request.config, readsSecrets: false, problem: problem) {
        case .failure(let failure): return failure.exitCode
        case .success(let configuration):
            do {
                for line in try lines(request, configuration) { out(line) }
                return 0
            } catch let failure as Failure {
                problem("countersign: \(failure.message)")
            } catch let failure as NewFile.Failure {
                problem("countersign: \(failure.message); --directory DIR says where else")
            } catch {
                problem("countersign: \(error)")
            }
            return 1
        }
    }

    private static func lines(
        _ request: EnvironmentRequest,
        _ configuration: ServerConfiguration
    ) throws -> [String] {
        let (listener, address) = try endpoint(request.listener, of: configuration)
        let environment = EnvironmentSecrets()
        let trust = try authority(of: configuration).map { authority in
            try trustFiles(authority, request, configuration, environment)
        }
        let variables = ProgramVariables(
            proxy: address,
            direct: configuration.namesToReachDirectly,
            trust: trust,
            javaOptions: environment.variable("JAVA_TOOL_OPTIONS")
        )
        var notes: [String] = []
        if let trust { notes.append("# the system's anchors and the proxy's authority: \(trust.bundle)") }
        if (listener.require ?? configuration.access.require) != .none {
            notes.append("# the listener asks for a login, which the URLs lack: http://NAME:PASSWORD@\(address)")
        }
        return (request.form.hasComments ? notes : []) + request.form.lines(variables.all)
    }

    /// The listener that programs can be told of, and where they reach it.
    private static func endpoint(
        _ name: String?,
        of configuration: ServerConfiguration
    ) throws(Failure) -> (ListenerConfiguration, SocketAddress) {
        let candidates = configuration.listeners.filter { name == nil || $0.name == name }
        if let name, candidates.isEmpty { throw Failure(message: "no listener has the name '\(name)'") }
        for listener in candidates {
            guard case .forward = listener.mode, case .tcp(let address, let port) = listener.address else { continue }
            return (listener, SocketAddress(address.reachable, port: port))
        }
        let what = name.map { "the listener '\($0)' is none" } ?? "the rule file has none"
        throw Failure(
            message: "variables can only name a listener of mode forward at HOST:PORT, and \(what): "
                + "what comes by a unix socket, a passed-on socket or another mode is set up in the program itself"
        )
    }

    private static func authority(of configuration: ServerConfiguration) throws -> Certificate? {
        guard let authority = configuration.interception?.authority else { return nil }
        let path = authority.certificateFile ?? authority.certificatePath
        do {
            let bytes = try SystemFiles().contents(of: path, limit: 1 << 20)
            return try Certificate.all(in: bytes.span).first
        } catch let error as FileError {
            throw Failure(message: "the authority's certificate \(path) can't be read: \(error.message)")
        } catch {
            throw Failure(message: "the authority's certificate \(path): \(error)")
        }
    }

    /// Writes the files where they are asked for, else beside the ledger, else where this user's own ledger would be.
    private static func trustFiles(
        _ authority: Certificate,
        _ request: EnvironmentRequest,
        _ configuration: ServerConfiguration,
        _ environment: EnvironmentSecrets
    ) throws -> TrustFiles {
        let own = StateLocation(state: nil, environment: environment.variable)
        var folders = [configuration.state.folder, own.folder, own.runtimeFolder].compactMap(\.self)
        if let directory = request.directory { folders = [NewFile.absolute(directory)] }
        guard let last = folders.popLast() else {
            throw Failure(message: "there is no folder for the certificates: say where with --directory DIR")
        }
        for folder in folders {
            if let files = try? TrustFiles(authority: authority, in: folder, variable: environment.variable) {
                return files
            }
        }
        return try TrustFiles(authority: authority, in: last, variable: environment.variable)
    }
}

extension ServerConfiguration {
    /// The loopback names that no rule with a credential is about: programs needn't come to the proxy for them.
    var namesToReachDirectly: [ProgramVariables.Loopback] {
        let hosts = rules.rules.lazy.filter { $0.credential != nil && !$0.space.isProxy }.flatMap(\.space.hosts)
            .filter { $0.form != .any }
        return ProgramVariables.Loopback.allCases.filter { name in
            guard let pattern = try? HostPattern(name.rawValue) else { return true }
            return !hosts.contains { $0.covers(pattern) }
        }
    }
}

extension IPAddress {
    /// An address of this machine by which a listener at this address is reached: loopback where it is at all of them.
    fileprivate var reachable: IPAddress {
        guard isUnspecified else { return self }
        switch family {
        case .v4: return .loopbackV4
        case .v6: return .loopbackV6
        }
    }
}
