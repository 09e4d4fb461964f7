/// A slip in the command line.
struct UsageError: Error, Equatable {
    /// One line that says what is wrong.
    let message: String
    /// One line that says where to find what is right.
    let hint: String

    init(_ message: String, _ command: Command? = nil) {
        self.message = message
        hint = "Try 'countersign \(command.map { "\($0.rawValue) " } ?? "")--help'."
    }
}

extension UsageError {
    /// What should be a URL is none; it isn't repeated where a login may stand in it.
    static func noURL(_ text: String, _ command: Command) -> UsageError {
        UsageError("\(shown(text)) is no http or https URL", command)
    }

    /// An operand in a message: not where a login may stand in it, and without what a terminal would take for a command.
    static func shown(_ text: String) -> String {
        let mayHoldLogin = text.contains("@") || text.contains("%40")
        return mayHoldLogin ? "what was given" : "'\(CredentialsCommand.printable(text))'"
    }
}

/// What the command line asks for.
enum Invocation: Equatable {
    /// Help on a command, or on all of them.
    case help(Command?)
    case version
    case run(config: String?, workers: Int?)
    case check(config: String?, isStrict: Bool, readsSecrets: Bool)
    case explain(ExplainRequest)
    case doctor(DoctorRequest)
    case status(StatusRequest)
    case credentials(config: String?)
    case release(names: [String], all: Bool, config: String?)
    case makeAuthority(AuthorityTerms)
    case showAuthority(AuthorityQuestion)
    case pin(PinRequest)
    case demo(once: Bool)
    case environment(EnvironmentRequest)
    case exec(ExecRequest)
    case completions(CompletionShell)

    /// Reads the arguments behind the program's name.
    init(arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else { throw UsageError("a command is missing") }
        switch first {
        case "--help", "-h", "help":
            self = .help(arguments.dropFirst().first.flatMap { Command(rawValue: $0) })
            return
        case "--version", "-V":
            self = .version
            return
        default: break
        }
        guard let command = Command(rawValue: first) else {
            throw UsageError("unknown \(first.hasPrefix("-") ? "option" : "command") '\(first)'")
        }
        let options = try CommandLineOptions(Array(arguments.dropFirst()), of: command)
        self = options.contains(.help) ? .help(command) : try Self.read(command, options)
    }

    private static func read(_ command: Command, _ options: CommandLineOptions) throws(UsageError) -> Invocation {
        let config = options.value(.config)
        if config?.isEmpty == true { throw UsageError("option '--config' needs a file's name", command) }
        switch command {
        case .run:
            try refuseOperands(options.operands, command)
            return .run(config: config, workers: try workers(options))
        case .check:
            try refuseOperands(options.operands.dropFirst(config == nil ? 1 : 0), command)
            return .check(
                config: config ?? options.operands.first,
                isStrict: options.contains(.strict),
                readsSecrets: !options.contains(.noSecrets)
            )
        case .explain: return .explain(try ExplainRequest(options))
        case .doctor: return .doctor(try DoctorRequest(options))
        case .status: return .status(try StatusRequest(options))
        case .credentials:
            try refuseOperands(options.operands, command)
            return .credentials(config: config)
        case .release:
            let all = options.contains(.all)
            if all { try refuseOperands(options.operands, command) }
            guard all || !options.operands.isEmpty else {
                throw UsageError("a credential's name is missing, or --all", command)
            }
            return .release(names: options.operands, all: all, config: config)
        case .ca: return try authority(options)
        case .pin: return .pin(try PinRequest(options))
        case .demo:
            try refuseOperands(options.operands, command)
            return .demo(once: options.contains(.once))
        case .env: return .environment(try EnvironmentRequest(options))
        case .exec: return .exec(try ExecRequest(options))
        case .completions: return .completions(try CompletionShell(options))
        case .version:
            try refuseOperands(options.operands, command)
            return .version
        }
    }

    private static func workers(_ options: CommandLineOptions) throws(UsageError) -> Int? {
        guard let text = options.value(.workers) else { return nil }
        guard let count = Int(text), (1...1024).contains(count) else {
            throw UsageError("'--workers' takes a number from 1 to 1024, not '\(text)'", .run)
        }
        return count
    }

    static func refuseOperands(_ operands: some Collection<String>, _ command: Command) throws(UsageError) {
        if let first = operands.first { throw UsageError("unexpected '\(first)'", command) }
    }
}
