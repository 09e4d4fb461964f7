internal import Bytes

/// One challenge of a 401 or 407 [RFC 9110, section 11.3], as it was read.
package struct AuthenticationChallenge: Equatable, Sendable {
    /// A parameter; its name in lower case, its value without quotes and quoted-pairs, else byte for byte.
    package struct Parameter: Equatable, Sendable {
        package var name: [UInt8]
        package var value: [UInt8]
    }

    /// The auth-scheme as it was written.
    package var schemeName: [UInt8]
    /// The method that the scheme stands for; nil for one that is unknown, which is kept for the log only.
    package var method: AuthenticationMethod?
    /// What stood in place of parameters, with its padding.
    package var token68: [UInt8]?
    /// The parameters in their order, each name once.
    package var parameters: [Parameter] = []
    /// Whether it may be answered: its text could be told apart, and no parameter was given two values.
    package var isReadable = true
    /// Whether it follows the grammar to the letter; a device's slip that is read all the same is worth a log line.
    package var isWellFormed = true
    /// The index of the parameter whose quote never closed; it holds the rest of the field.
    package var unclosedParameter: Int?

    /// A challenge without parameters.
    package init(schemeName: [UInt8]) {
        self.schemeName = schemeName
        method = AuthenticationMethod(schemeName: schemeName.span)
    }

    /// The value of a parameter, whose name is given in lower case.
    package func value(_ lowercaseName: String) -> [UInt8]? {
        parameters.first { ASCII.equals($0.name.span, lowercaseName) }?.value
    }

    /// The realm, exact and opaque; nil where there is none, which differs from an empty one.
    package var realm: [UInt8]? { value("realm") }

    /// The value of a parameter whose quote was closed.
    func closedValue(_ lowercaseName: String) -> [UInt8]? {
        guard let index = parameters.firstIndex(where: { ASCII.equals($0.name.span, lowercaseName) }) else {
            return nil
        }
        return index == unclosedParameter ? nil : parameters[index].value
    }

    /// Whether a parameter stands there with this text, in any case.
    package func names(_ lowercaseName: String, as text: String) -> Bool {
        guard let value = value(lowercaseName) else { return false }
        return ASCII.equalsIgnoringCase(value.span, text)
    }
}
