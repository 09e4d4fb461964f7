package import Authentication

/// A set of authentication methods that is looked up without hashing.
package struct MethodSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package init(_ methods: some Sequence<AuthenticationMethod>) {
        rawValue = methods.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }

    /// All methods there are.
    package static let all = MethodSet(rawValue: .max)
    /// The methods whose value shows the secret, or lets it be computed, to whoever listens.
    package static let exposing = MethodSet([AuthenticationMethod.basic, .bearer, .ntlm])

    package func contains(_ method: AuthenticationMethod) -> Bool {
        rawValue & 1 << UInt16(method.rawValue) != 0
    }
}
