internal import CGetopt
internal import Glibc

/// The options that were given to a command, and its operands.
struct CommandLineOptions {
    /// Each option's long name.
    enum Option: Int32, CaseIterable {
        // Above all characters, which short options are.
        case help = 256
        case config, workers, strict, noSecrets, method, challenge, proxyChallenge, all, once
        case directory, certificate, key, host, commonName, days, force, file
        case timeout, json, ready, shell, listener, log

        var name: String {
            switch self {
            case .help: "help"
            case .config: "config"
            case .workers: "workers"
            case .strict: "strict"
            case .noSecrets: "no-secrets"
            case .method: "method"
            case .challenge: "challenge"
            case .proxyChallenge: "proxy-challenge"
            case .all: "all"
            case .once: "once"
            case .directory: "directory"
            case .certificate: "certificate"
            case .key: "key"
            case .host: "host"
            case .commonName: "name"
            case .days: "days"
            case .force: "force"
            case .file: "file"
            case .timeout: "timeout"
            case .json: "json"
            case .ready: "ready"
            case .shell: "shell"
            case .listener: "listener"
            case .log: "log"
            }
        }

        var short: Character? {
            switch self {
            case .help: "h"
            case .config: "c"
            case .workers: "w"
            case .method: "m"
            case .all: "a"
            default: nil
            }
        }

        var takesValue: Bool {
            switch self {
            case .help, .strict, .noSecrets, .all, .once, .force, .json, .ready: false
            case .config, .workers, .method, .challenge, .proxyChallenge, .directory, .certificate, .key, .host,
                .commonName, .days, .file, .timeout, .shell, .listener, .log:
                true
            }
        }
    }

    private(set) var values: [(option: Option, value: String)] = []
    private(set) var operands: [String] = []

    /// Reads the arguments behind the command; not for two threads at once, since getopt_long keeps its place in globals.
    init(_ arguments: [String], of command: Command) throws(UsageError) {
        let allowed = command.allowed
        // getopt_long looks past the program's name, for which the command stands.
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([command.rawValue] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        let owned = unsafe words
        defer { for index in unsafe owned.indices { unsafe free(owned[index]) } }
        let names = unsafe allowed.map { unsafe strdup($0.name) }
        defer { for index in unsafe names.indices { unsafe free(names[index]) } }
        var long = unsafe [CGetopt.option]()
        for (index, entry) in allowed.enumerated() {
            unsafe long.append(
                CGetopt.option(name: names[index], has_arg: entry.takesValue ? 1 : 0, flag: nil, val: entry.rawValue)
            )
        }
        unsafe long.append(CGetopt.option())
        // Without the plus options of a program behind the command would be taken for ours.
        let short =
            (command == .exec ? "+:" : ":")
            + allowed.compactMap { entry in entry.short.map { "\($0)\(entry.takesValue ? ":" : "")" } }.joined()
        CGetopt_begin()
        let count = Int32(arguments.count + 1)
        while true {
            let found = unsafe getopt_long(count, &words, short, long, nil)
            if found < 0 { break }
            guard let option = Self.option(found, in: allowed) else {
                throw unsafe Self.complaint(found, word: words[Int(max(1, CGetopt_optind())) - 1], allowed, command)
            }
            values.append((option, unsafe CGetopt_optarg().map { unsafe String(cString: $0) } ?? ""))
        }
        for index in Int(CGetopt_optind())..<Int(max(count, CGetopt_optind())) {
            if let word = unsafe words[index] { operands.append(unsafe String(cString: word)) }
        }
    }

    private static func option(_ found: Int32, in allowed: [Option]) -> Option? {
        allowed.first { entry in
            entry.rawValue == found || entry.short?.asciiValue.map { Int32($0) } == found
        }
    }

    private static func complaint(
        _ found: Int32,
        word: UnsafeMutablePointer<CChar>?,
        _ allowed: [Option],
        _ command: Command
    ) -> UsageError {
        let letter = CGetopt_optopt()
        let written = unsafe word.map { unsafe String(cString: $0) } ?? ""
        // A letter may stand in a word with others; a long option's own word was the last one that was looked at.
        let isLetter = letter > 0 && letter < 256 && !written.hasPrefix("--")
        let name = isLetter ? "-\(Character(Unicode.Scalar(UInt8(letter))))" : "\(written.prefix { $0 != "=" })"
        if found == Int32(UInt8(ascii: ":")) { return UsageError("option '\(name)' needs a value", command) }
        if letter >= 256 { return UsageError("option '\(name)' takes no value", command) }
        return UsageError("unknown option '\(name)'", command)
    }

    /// The last value of an option.
    func value(_ option: Option) -> String? { values.last { $0.option == option }?.value }

    /// All values of an option.
    func all(_ option: Option) -> [String] { values.filter { $0.option == option }.map(\.value) }

    /// Whether an option was given.
    func contains(_ option: Option) -> Bool { values.contains { $0.option == option } }
}

extension Command {
    /// The options that the command takes.
    fileprivate var allowed: [CommandLineOptions.Option] {
        switch self {
        case .run: [.help, .config, .workers]
        case .check: [.help, .config, .strict, .noSecrets]
        case .explain: [.help, .config, .method, .challenge, .proxyChallenge]
        case .doctor: [.help, .config, .timeout, .json]
        case .status: [.help, .config, .ready, .json]
        case .credentials: [.help, .config]
        case .release: [.help, .config, .all]
        case .ca: [.help, .config, .directory, .certificate, .key, .host, .commonName, .days, .force]
        case .pin: [.help, .file]
        case .demo: [.help, .once]
        case .env: [.help, .config, .directory, .listener, .shell]
        case .exec: [.help, .config, .log]
        case .completions: [.help]
        case .version: [.help]
        }
    }
}
