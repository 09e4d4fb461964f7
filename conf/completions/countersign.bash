# Completions of countersign for bash; `countersign completions bash` prints them.
_countersign() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    local options='' values='' files='' folders='' operand='' index
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'run exec env check explain doctor status credentials release ca pin demo completions version --help --version' -- "$word"))
        return
    fi
    case $command in
        run) options='-c --config -w --workers -h --help' values='-w --workers' files='-c --config' ;;
        exec) options='-c --config --log -h --help' files='-c --config --log' ;;
        env) options='-c --config --listener --shell --directory -h --help' values='--listener --shell' files='-c --config' folders='--directory' ;;
        check) options='-c --config --strict --no-secrets -h --help' files='-c --config' operand=FILE ;;
        explain) options='-c --config -m --method --challenge --proxy-challenge -h --help' values='-m --method --challenge --proxy-challenge' files='-c --config' ;;
        doctor) options='-c --config --timeout --json -h --help' values='--timeout' files='-c --config' ;;
        status) options='-c --config --ready --json -h --help' files='-c --config' ;;
        credentials) options='-c --config -h --help' files='-c --config' ;;
        release) options='-c --config -a --all -h --help' files='-c --config' ;;
        ca) options='--directory --certificate --key --host --name --days --force -c --config -h --help' values='--host --name --days' files='--certificate --key -c --config' folders='--directory' operand='init show' ;;
        pin) options='--file -h --help' files='--file' ;;
        demo) options='--once -h --help' ;;
        completions) options='-h --help' operand='bash zsh fish' ;;
        version) options='-h --help' ;;
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
            --shell) COMPREPLY=($(compgen -W 'sh fish json' -- "$word")) ;;
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
