/// The commands, and what `--help` says of each.
enum Command: String, CaseIterable {
    case run, exec, env, check, explain, doctor, status, credentials, release, ca, pin, demo, completions, version

    /// What `countersign --help` says.
    static let overview = """
        Usage: countersign COMMAND [OPTION…]

        A forward proxy that answers authentication challenges by rules.

        Commands:
        \(allCases.map { "  \(padded($0.rawValue))\($0.summary)" }.joined(separator: "\n"))

        'countersign COMMAND --help' tells more. Without --config the rule file is
        \(RuleFilePath.nearby) or, where there is none, \(RuleFilePath.ofSystem).
        Exit codes: 0 done; 1 failed, or something is wrong; 2 a slip in the command line, or a file that
        can't be read.
        """

    private static func padded(_ word: String) -> String {
        word + String(repeating: " ", count: max(1, 13 - word.count))
    }

    var summary: String {
        switch self {
        case .run: "run the proxy"
        case .exec: "run a program with a proxy of its own"
        case .env: "print the variables by which programs use the proxy"
        case .completions: "print a shell's completions"
        case .check: "tell what is wrong with a rule file"
        case .explain: "tell which rules a request meets, and what would be answered"
        case .doctor: "walk to a URL as the proxy would, up to but not including a secret"
        case .status: "tell how the running proxy is"
        case .credentials: "list what is known of each credential, and where it is withheld"
        case .release: "let withheld credentials be used again"
        case .ca: "make an authority that opens TLS, or tell about one"
        case .pin: "print the pins of a server's certificates, or of a file's"
        case .demo: "show the proxy at work, on this machine alone"
        case .version: "tell the version"
        }
    }

    private var synopsis: String {
        switch self {
        case .run: "[--config FILE] [--workers N]"
        case .check: "[--strict] [--no-secrets] [--config FILE | FILE]"
        case .explain: "URL [--method M] [--challenge TEXT]… [--proxy-challenge TEXT]… [--config FILE]"
        case .doctor: "URL [--timeout SECONDS] [--json] [--config FILE]"
        case .status: "[--ready | --json] [--config FILE]"
        case .credentials: "[--config FILE]"
        case .release: "NAME… | --all [--config FILE]"
        case .ca:
            "init [--directory DIR | --certificate FILE --key FILE] [--host PATTERN]… [--name CN] [--days N] [--force]\n"
                + "       countersign ca show [--config FILE | FILE… [--key FILE]]"
        case .pin: "HOST[:PORT] | --file FILE"
        case .demo: "[--once]"
        case .exec: "[--config FILE] [--log FILE] [--] PROGRAM [ARGUMENT…]"
        case .env: "[--config FILE] [--listener NAME] [--shell FORM] [--directory DIR]"
        case .completions: CompletionShell.allCases.map(\.rawValue).joined(separator: " | ")
        case .version: ""
        }
    }

    var options: [(option: String, meaning: String)] {
        let config = (option: "-c, --config FILE", meaning: "the rule file")
        let help = (option: "-h, --help", meaning: "this text")
        switch self {
        case .run:
            return [config, ("-w, --workers N", "how many threads serve; else as many as there are processors"), help]
        case .check:
            return [config, ("--strict", "warnings count as errors"), ("--no-secrets", "read no secret's file"), help]
        case .explain:
            return [
                config, ("-m, --method M", "the request's method; GET if not given"),
                ("--challenge TEXT", "the value of a WWW-Authenticate field that the origin sends"),
                ("--proxy-challenge TEXT", "the value of a Proxy-Authenticate field that the parent proxy sends"), help,
            ]
        case .doctor:
            return [
                config, ("--timeout SECONDS", "how long each step may take; 10 if not given"),
                ("--json", "a JSON object for each step"), help,
            ]
        case .status:
            return [
                config,
                ("--ready", "say nothing; 0 where a process takes requests, else 1: a container's health check"),
                ("--json", "what the page's own JSON tells, a line for each process"), help,
            ]
        case .release: return [config, ("-a, --all", "release every credential"), help]
        case .ca: return authorityOptions + [help]
        case .pin:
            return [("--file FILE", "certificates as PEM or DER; nothing is connected to"), help]
        case .demo: return [("--once", "end after the table: 0 if all is right, else 1"), help]
        case .credentials: return [config, help]
        case .exec:
            return [
                config, ("--log FILE", "where the log goes, as the rule file says; else warnings to standard error"),
                help,
            ]
        case .env: return environmentOptions + [help]
        case .completions, .version: return [help]
        }
    }

    private var environmentOptions: [(option: String, meaning: String)] {
        [
            ("-c, --config FILE", "the rule file"),
            ("--listener NAME", "which listener; the first that will do if not given"),
            ("--shell FORM", "sh (the default), fish or json"),
            ("--directory DIR", "where the certificates to trust go; beside the ledger if not given"),
        ]
    }

    private var authorityOptions: [(option: String, meaning: String)] {
        [
            ("--directory DIR", "where authority.pem and authority.key go; else where the ledger is kept"),
            ("--certificate FILE", "the certificate's own place; with --key"),
            ("--key FILE", "the private key's own place, mode 0600; with show, the key of FILE"),
            ("--host PATTERN", "a host that it may issue for, as in the rule file; else it may for any"),
            ("--name CN", "its common name"), ("--days N", "how long it is valid; 3650 if not given"),
            ("--force", "replace what is there"),
            ("-c, --config FILE", "the rule file that names the authority to show"),
        ]
    }

    /// What `countersign COMMAND --help` says.
    var help: String {
        let lines = options.map { entry in
            "  " + entry.option + String(repeating: " ", count: max(1, 25 - entry.option.count)) + entry.meaning
        }
        let usage = "Usage: countersign \(rawValue)" + (synopsis.isEmpty ? "" : " \(synopsis)")
        return ([usage, "", "\(summary.prefix(1).uppercased())\(summary.dropFirst()).", "", "Options:"] + lines)
            .joined(separator: "\n")
    }
}
