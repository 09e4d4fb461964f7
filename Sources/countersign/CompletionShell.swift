/// The shells that complete our commands.
enum CompletionShell: String, CaseIterable {
    case bash, zsh, fish

    init(_ options: CommandLineOptions) throws(UsageError) {
        let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = options.operands.first else {
            throw UsageError("a shell is missing: \(known)", .completions)
        }
        try Invocation.refuseOperands(options.operands.dropFirst(), .completions)
        guard let shell = Self(rawValue: name) else {
            throw UsageError("'\(name)' is none of \(known)", .completions)
        }
        self = shell
    }

    /// The file that the shell reads, but for its last newline.
    var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}

/// One option as completions need it, made of what `--help` shows.
struct CompletedOption {
    /// What completes a value.
    enum Value {
        case none, file, directory
        case text
        case words([String])
    }

    let short: Character?
    let long: String
    let value: Value
    let meaning: String
    /// It may be given several times.
    let repeats: Bool

    /// From a row such as `-c, --config FILE`.
    init(_ row: (option: String, meaning: String)) {
        let words = row.option.split(separator: " ")
        short = words.first.flatMap { $0.hasPrefix("--") ? nil : $0.dropFirst().first }
        let name = words.first { $0.hasPrefix("--") } ?? ""
        long = String(name.dropFirst(2))
        let placeholder = words.last.flatMap { $0.hasPrefix("-") ? nil : $0 }
        switch placeholder {
        case nil: value = .none
        case "FILE": value = .file
        case "DIR": value = .directory
        case "FORM": value = .words(VariableForm.allCases.map(\.rawValue))
        default: value = .text
        }
        meaning = row.meaning
        repeats = ["challenge", "proxy-challenge", "host"].contains(long)
    }
}

extension Command {
    /// Its options.
    var completedOptions: [CompletedOption] { options.map { CompletedOption($0) } }

    /// What completes an operand of it.
    var completedOperand: CompletedOption.Value {
        switch self {
        case .check: .file
        case .ca: .words(["init", "show"])
        case .completions: .words(CompletionShell.allCases.map(\.rawValue))
        default: .none
        }
    }
}
