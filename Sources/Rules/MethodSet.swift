package import Authentication

/// A set of authentication methods that is looked up without hashing.
package struct MethodSet: OptionSet, Hashable, Sendable {
    /// One bit for each method, at the place of its raw value.
    package let rawValue: UInt16

    /// A set from its bits.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The set of these methods.
    package init(_ methods: some Sequence<AuthenticationMethod>) {
        rawValue = methods.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }

    /// All methods there are.
    package static let all = MethodSet(rawValue: .max)
    /// Fields that a credential adds, which are no method of a challenge but are held back as some methods are.
    package static let header = MethodSet(rawValue: 1 << 15)
    /// The methods whose value shows the secret, or lets it be computed, to whoever listens.
    package static let exposing = MethodSet([AuthenticationMethod.basic, .bearer, .ntlm]).union(.header)

    /// Their words in the rule file, in its order.
    package var words: [String] {
        AuthenticationMethod.allCases.filter { contains($0) }.map(\.name) + (isSuperset(of: .header) ? ["header"] : [])
    }

    /// Whether the method is in the set.
    package func contains(_ method: AuthenticationMethod) -> Bool {
        rawValue & 1 << UInt16(method.rawValue) != 0
    }
}
