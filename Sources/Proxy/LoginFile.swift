internal import Authentication
internal import Crypto
internal import Events
internal import Rules

/// A password file in force, or the one login in its place, and the pairs of name and password that were found right by it.
final class LoginFile: Sendable {
    /// What stands for a pair of name and password in memory: a hash under a key of the process (S-3).
    struct Pair: Hashable, Sendable {
        let words: [4 of UInt64]

        static func == (left: Pair, right: Pair) -> Bool {
            left.words.indices.allSatisfy { left.words[$0] == right.words[$0] }
        }

        func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
    }

    /// Pairs that are remembered at most.
    private static let bound = 16_384

    private let requirement: LoginRequirement
    private let names: HtpasswdFile?
    private let known = Locked<[Pair: String]>([:])

    /// A file that the rule file's reader has looked into; nobody logs in by one that it would refuse.
    private init(_ requirement: LoginRequirement) {
        self.requirement = requirement
        if case .htpasswd(_, let content) = requirement { names = try? HtpasswdFile(content.span) } else { names = nil }
    }

    /// The file that `requirement` names: one of `known` where that holds the same.
    static func file(_ requirement: LoginRequirement, among known: [LoginFile]) -> LoginFile? {
        if requirement == .none { return nil }
        return known.first { $0.requirement == requirement } ?? LoginFile(requirement)
    }

    /// The one login that a process in whose environment it stands needn't send; nil where there is a file.
    var own: Secret? {
        if case .own(let login) = requirement { login } else { nil }
    }

    /// The name of a pair that was found right.
    func name(of pair: Pair) -> String? { known.withLock { $0[pair] } }

    /// Whether it is right; blocks for as long as the hash takes.
    func admits(_ login: BasicLogin) -> Bool {
        if let own { return own == login.pair }
        return login.password.withBytes { names?.admits(login.name, $0) ?? false }
    }

    func remember(_ pair: Pair, of name: String) {
        known.withLock { known in
            if known.count >= Self.bound, let any = known.keys.first { known[any] = nil }
            known[pair] = name
        }
    }
}

extension BasicLogin {
    /// `NAME:PASSWORD`.
    fileprivate var pair: Secret {
        var bytes = Array(name.utf8) + [UInt8(ascii: ":")]
        password.withBytes { password in for index in password.indices { bytes.append(password[index]) } }
        return Secret(wiping: &bytes)
    }
}
