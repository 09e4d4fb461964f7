package import Bytes
package import Crypto

/// A credential whose secret is fetched when it is first used, and again when it has to be.
package enum DeferredCredential: Sendable {
    /// Programs print what it is made of.
    case programs(ProgramCredential)
    /// A program that speaks git's credential-helper protocol; the operation goes behind its arguments.
    case helper([String])
    /// A netrc file, by its path.
    case netrc(String)
    /// A token endpoint [RFC 6749].
    case oauth2(OAuth2Credential)
}

/// A program whose output less one trailing newline is a secret.
package struct SecretProgram: Hashable, Sendable {
    /// The program, found in PATH, and its arguments; no shell.
    package let arguments: [String]
    /// How long what it printed is used, in nanoseconds; nil: until it is rejected.
    package let refresh: Nanoseconds?
    /// How long it may run, in nanoseconds.
    package let timeout: Nanoseconds

    /// A program in all its parts.
    package init(arguments: [String], refresh: Nanoseconds?, timeout: Nanoseconds) {
        self.arguments = arguments
        self.refresh = refresh
        self.timeout = timeout
    }
}

/// A credential of which some secrets are printed by programs.
package struct ProgramCredential: Sendable {
    /// What has to run, in the order in which `make` takes the outputs.
    package let programs: [SecretProgram]
    /// The methods that the kind that `make` makes can answer.
    package let answers: Set<AuthenticationMethod>
    /// The fields that it adds to requests, in lower case; empty for one that answers challenges.
    package let fieldNames: [String]
    /// Makes the kind, which may be deferred in turn (OAuth2); nil where the outputs don't fit it.
    package let make: @Sendable ([Secret]) -> Credential.Kind?
    /// What it says besides the programs, to tell whether a reload changed it.
    package let definition: Secret

    /// A credential in all its parts.
    package init(
        programs: [SecretProgram],
        answers: Set<AuthenticationMethod>,
        fieldNames: [String] = [],
        definition: Secret,
        make: @escaping @Sendable ([Secret]) -> Credential.Kind?
    ) {
        self.programs = programs
        self.answers = answers
        self.fieldNames = fieldNames
        self.definition = definition
        self.make = make
    }
}

extension DeferredCredential {
    /// The methods that what is fetched can answer.
    package var answers: Set<AuthenticationMethod> {
        switch self {
        case .programs(let credential): credential.answers
        case .helper: [.basic, .digest, .ntlm, .bearer]
        case .netrc: [.basic, .digest, .ntlm]
        case .oauth2: [.bearer]
        }
    }

    /// Whether both say the same, so that what was fetched for one holds for the other.
    package func isSame(as other: DeferredCredential) -> Bool {
        switch (self, other) {
        case (.programs(let left), .programs(let right)):
            left.programs == right.programs && left.definition == right.definition
        case (.helper(let left), .helper(let right)): left == right
        case (.netrc(let left), .netrc(let right)): left == right
        case (.oauth2(let left), .oauth2(let right)): left.isSame(as: right)
        case (.programs, _), (.helper, _), (.netrc, _), (.oauth2, _): false
        }
    }
}
