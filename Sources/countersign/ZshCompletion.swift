/// Completions of zsh, by its `_arguments`.
enum ZshCompletion {
    static var script: String {
        """
        #compdef countersign
        # Completions of countersign for zsh; `countersign completions zsh` prints them.
        _countersign() {
            local context state state_descr line
            typeset -A opt_args
            local -a commands
            commands=(
        \(Command.allCases.map { "        '\($0.rawValue):\(quoted($0.summary))'" }.joined(separator: "\n"))
            )
            _arguments -C '(- *)'{-h,--help}'[what the commands are]' '(- *)'{-V,--version}'[the version]' \\
                '1:command:->command' '*::argument:->argument'
            case $state in
                command) _describe command commands ;;
                argument)
                    case $words[1] in
        \(Command.allCases.map(branch).joined(separator: "\n"))
                    esac ;;
            esac
        }
        if [ "$funcstack[1]" = _countersign ]; then _countersign "$@"; else compdef _countersign countersign; fi
        """
    }

    private static func quoted(_ text: String) -> String {
        text.map { $0 == "'" ? "'\\''" : "\($0)" }.joined()
    }

    /// In brackets, where a bracket and a colon mean something.
    private static func meaning(_ text: String) -> String {
        quoted(text.map { "[]:\\".contains($0) ? "\\\($0)" : "\($0)" }.joined())
    }

    private static func action(_ value: CompletedOption.Value) -> String {
        switch value {
        case .none: ""
        case .file: ":file:_files"
        case .directory: ":folder:_files -/"
        case .text: ":value: "
        case .words(let words): ":word:(\(words.joined(separator: " ")))"
        }
    }

    private static func specification(_ option: CompletedOption) -> String {
        let rest = "[\(meaning(option.meaning))]\(action(option.value))"
        let star = option.repeats ? "*" : ""
        guard let short = option.short else { return "'\(star)--\(option.long)\(rest)'" }
        return "'(-\(short) --\(option.long))'{-\(short),--\(option.long)}'\(rest)'"
    }

    private static func branch(_ command: Command) -> String {
        var parts = command.completedOptions.map(specification)
        switch command.completedOperand {
        case .file: parts.append("'1:file:_files'")
        case .words(let words): parts.append("'1:word:(\(words.joined(separator: " ")))'")
        case .none, .directory, .text: break
        }
        if command == .ca { parts.append("'*:file:_files'") }
        // From the program on it is the program's own affair.
        if command == .exec { parts.append("'(-)1:program: _command_names -e' '*::argument: _normal'") }
        let lines = parts.joined(separator: " \\\n                        ")
        return "                \(command.rawValue))\n                    _arguments \(lines) ;;"
    }
}
