/// Completions of fish.
enum FishCompletion {
    static var script: String {
        let head = """
            # Completions of countersign for fish; `countersign completions fish` prints them.
            complete -c countersign -f
            complete -c countersign -n __fish_use_subcommand -s h -l help -d 'what the commands are'
            complete -c countersign -n __fish_use_subcommand -s V -l version -d 'the version'
            """
        let commands = Command.allCases.map { command in
            "complete -c countersign -n __fish_use_subcommand -a \(command.rawValue) -d \(quoted(command.summary))"
        }
        return ([head] + commands + Command.allCases.flatMap(lines)).joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined())'"
    }

    private static func lines(_ command: Command) -> [String] {
        let start = "complete -c countersign -n '__fish_seen_subcommand_from \(command.rawValue)'"
        var lines = command.completedOptions.map { option in
            let name = (option.short.map { " -s \($0)" } ?? "") + " -l \(option.long)"
            return start + name + value(option.value) + " -d \(quoted(option.meaning))"
        }
        switch command.completedOperand {
        case .file: lines.append("\(start) -F")
        case .words(let words): lines.append("\(start) -a '\(words.joined(separator: " "))'")
        case .none, .directory, .text: break
        }
        if command == .ca { lines.append("\(start) -F") }
        // From the program on it is the program's own affair.
        if command == .exec { lines.append("\(start) -a '(__fish_complete_subcommand)'") }
        return lines
    }

    private static func value(_ value: CompletedOption.Value) -> String {
        switch value {
        case .none: ""
        case .file: " -r -F"
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .text: " -x"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        }
    }
}
