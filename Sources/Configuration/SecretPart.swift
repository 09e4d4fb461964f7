internal import Authentication
internal import Crypto

/// A secret of the file: known, or printed by a program at first use.
enum SecretPart: Sendable {
    case known(Secret)
    /// `fits` says whether what was printed can stand there.
    case program(SecretProgram, fits: @Sendable (Secret) -> Bool)

    var known: Secret? {
        if case .known(let secret) = self { secret } else { nil }
    }
}

/// A credential on the way from its secrets to its kind.
struct CredentialRecipe {
    let parts: [SecretPart]
    /// The methods that the kind can answer.
    let answers: Set<AuthenticationMethod>
    /// The fields that it adds, in lower case.
    var fieldNames: [String] = []
    /// What it says besides its secrets.
    let words: [String]
    /// Makes the kind of all the secrets, in the order of the parts; nil where one doesn't fit.
    let make: @Sendable ([Secret]) -> Credential.Kind?

    /// The kind itself where all is known, else one that waits for the programs.
    var kind: Credential.Kind? {
        let programs = parts.compactMap { part -> SecretProgram? in
            if case .program(let program, _) = part { program } else { nil }
        }
        guard !programs.isEmpty else { return make(parts.compactMap(\.known)) }
        let deferred = ProgramCredential(
            programs: programs,
            answers: answers,
            fieldNames: fieldNames,
            definition: definition,
            make: { [parts, make] printed in Self.joined(parts, printed).flatMap(make) }
        )
        return .deferred(.programs(deferred))
    }

    /// All secrets in their order; nil where what was printed doesn't fit.
    private static func joined(_ parts: [SecretPart], _ printed: [Secret]) -> [Secret]? {
        var printed = printed[...]
        var secrets: [Secret] = []
        for part in parts {
            switch part {
            case .known(let secret): secrets.append(secret)
            case .program(_, let fits):
                guard let next = printed.popFirst(), fits(next) else { return nil }
                secrets.append(next)
            }
        }
        return printed.isEmpty ? secrets : nil
    }

    /// Words and known secrets, each behind its length, so that no two recipes read the same.
    private var definition: Secret {
        var bytes: [UInt8] = []
        let known = parts.compactMap(\.known)
        // Reserved at once: growing would leave copies of secrets behind.
        bytes.reserveCapacity(
            words.reduce(0) { $0 + $1.utf8.count + 24 } + known.reduce(0) { $0 + $1.count + 24 } + 2 * parts.count
        )
        for word in words {
            bytes += "\(word.utf8.count):".utf8
            bytes += word.utf8
        }
        for part in parts {
            guard let secret = part.known else {
                bytes += "?".utf8
                continue
            }
            bytes += "\(secret.count):".utf8
            secret.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        }
        return Secret(wiping: &bytes)
    }
}
