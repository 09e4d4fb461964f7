/// Completions of bash, by its own builtins alone.
enum BashCompletion {
    static var script: String {
        """
        # Completions of countersign for bash; `countersign completions bash` prints them.
        _countersign() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
            local options='' values='' files='' folders='' operand='' index
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W '\(commands) --help --version' -- "$word"))
                return
            fi
            case $command in
        \(Command.allCases.map(branch).joined(separator: "\n"))
                *) return ;;
            esac
            if [ "$command" = exec ]; then
                # From the program on it is the program's own affair.
                for ((index = 2; index < COMP_CWORD; index++)); do
                    case ${COMP_WORDS[index]} in
                        --) index=$((index + 1)); break ;;
                        -c | --config | --log) index=$((index + 1)) ;;
                        -*) ;;
                        *) break ;;
                    esac
                done
                if [ "$index" -le "$COMP_CWORD" ] && [ "${word:0:1}" != - ] && [[ " $files " != *" $before "* ]]; then
                    if declare -F _command_offset >/dev/null; then _command_offset "$index"; return; fi
                    COMPREPLY=($(compgen -A command -- "$word"))
                    return
                fi
            fi
            case " $files " in *" $before "*) COMPREPLY=($(compgen -f -- "$word")); compopt -o filenames 2>/dev/null; return ;; esac
            case " $folders " in *" $before "*) COMPREPLY=($(compgen -d -- "$word")); compopt -o filenames 2>/dev/null; return ;; esac
            case " $values " in *" $before "*)
                case $before in
        \(words.joined(separator: "\n"))
                esac
                return ;;
            esac
            if [ "${word:0:1}" = - ]; then
                COMPREPLY=($(compgen -W "$options" -- "$word"))
            elif [ "$operand" = FILE ]; then
                COMPREPLY=($(compgen -f -- "$word"))
                compopt -o filenames 2>/dev/null
            else
                COMPREPLY=($(compgen -W "$operand" -- "$word"))
            fi
        }
        complete -F _countersign countersign
        """
    }

    private static var commands: String { Command.allCases.map(\.rawValue).joined(separator: " ") }

    private static func names(_ option: CompletedOption) -> String {
        (option.short.map { "-\($0) " } ?? "") + "--\(option.long)"
    }

    private static func branch(_ command: Command) -> String {
        let options = command.completedOptions
        var (values, files, folders): ([String], [String], [String]) = ([], [], [])
        for option in options {
            switch option.value {
            case .none: break
            case .file: files.append(names(option))
            case .directory: folders.append(names(option))
            case .text, .words: values.append(names(option))
            }
        }
        var parts = ["options='\(options.map(names).joined(separator: " "))'"]
        for (name, list) in [("values", values), ("files", files), ("folders", folders)] where !list.isEmpty {
            parts.append("\(name)='\(list.joined(separator: " "))'")
        }
        switch command.completedOperand {
        case .file: parts.append("operand=FILE")
        case .words(let words): parts.append("operand='\(words.joined(separator: " "))'")
        case .none, .directory, .text: break
        }
        return "        \(command.rawValue)) \(parts.joined(separator: " ")) ;;"
    }

    /// What completes the values of options that take one of a few words.
    private static var words: [String] {
        var seen: Set<String> = []
        let options = Command.allCases.flatMap(\.completedOptions).filter { seen.insert($0.long).inserted }
        return options.compactMap { option in
            guard case .words(let words) = option.value else { return nil }
            return "            --\(option.long)) "
                + "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\")) ;;"
        }
    }
}
