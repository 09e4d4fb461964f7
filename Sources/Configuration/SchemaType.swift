/// What may stand under a key: for each kind of YAML value that is allowed there, what it must be.
///
/// Values are typed by this and never by YAML's guesses: `0123`, `no` and `2027-06-30` stay the text they are.
final class SchemaType: Sendable {
    /// For "must be …".
    let expected: String
    let scalar: ScalarType?
    let element: SchemaType?
    let section: SchemaSection?
    /// A mapping whose keys are names that the user chooses.
    let member: SchemaType?
    /// What stands here is a secret: it is never shown, and a bare text is told which forms there are.
    let isSecret: Bool

    init(
        _ expected: String,
        scalar: ScalarType? = nil,
        element: SchemaType? = nil,
        section: SchemaSection? = nil,
        member: SchemaType? = nil,
        isSecret: Bool = false
    ) {
        self.expected = expected
        self.scalar = scalar
        self.element = element
        self.section = section
        self.member = member
        self.isSecret = isSecret
    }

    static func one(_ scalar: ScalarType) -> SchemaType { SchemaType(scalar.expected, scalar: scalar) }

    static func list(_ element: SchemaType, _ expected: String) -> SchemaType {
        SchemaType(expected, element: element)
    }

    /// One value or a list of them.
    static func oneOrMore(_ scalar: ScalarType) -> SchemaType {
        SchemaType("\(scalar.expected), or a list", scalar: scalar, element: .one(scalar))
    }

    static func section(_ section: SchemaSection) -> SchemaType {
        SchemaType("\(section.title), with its keys", section: section)
    }

    static func names(_ member: SchemaType, _ expected: String) -> SchemaType {
        SchemaType(expected, member: member)
    }
}

/// The text of a scalar.
enum ScalarType: Sendable {
    case text
    case nonEmptyText
    case boolean
    case integer(ClosedRange<Int>)
    /// `zero`: whether 0 makes sense.
    case duration(zero: Bool)
    case withholding
    case size
    case port
    case portOrAny
    case version
    case choice([String])
    case method
    case cleartext
    case path
    case pathPrefix
    case glob
    case hostPattern
    case client
    case listenerAddress
    case proxyURL
    case fixedOrigin
    case hostAndPort
    case nameServer
    case permissions
    case url
    case ipAddress
    case reference
    case routeVia
    case token
    case pin
    case date
    case upgrade

    /// For "must be …".
    var expected: String {
        switch self {
        case .text, .nonEmptyText, .token, .pin, .reference: "a text"
        case .boolean: "true or false"
        case .integer(let range): range.upperBound == .max ? "a number" : "a number up to \(range.upperBound)"
        case .duration: "a duration such as 30s"
        case .withholding: "'until-changed' or a duration such as 12h"
        case .size: "a size such as 64KiB"
        case .port: "a port"
        case .portOrAny: "a port or 'any'"
        case .version: "1"
        case .choice(let words): words.joinedAsChoice
        case .method: AuthenticationWords.methods.joinedAsChoice
        case .cleartext: "true, false, or a list of " + AuthenticationWords.cleartext.joinedAsChoice
        case .path, .glob: "a path"
        case .pathPrefix: "a path that begins with '/'"
        case .hostPattern: "a host pattern"
        case .client: "an address, a network, listener:NAME, uid:NAME, gid:NAME or login:NAME"
        case .listenerAddress: "HOST:PORT, unix:PATH or systemd:NAME"
        case .fixedOrigin: "http://HOST[:PORT][/prefix] or https://HOST[:PORT][/prefix]"
        case .hostAndPort: "HOST:PORT"
        case .nameServer: "an IP address, with a port behind it where that isn't 53"
        case .permissions: "permissions in octal, such as \"0660\""
        case .proxyURL: "http://HOST:PORT"
        case .url: "a URL"
        case .ipAddress: "an IP address"
        case .routeVia: "'direct' or a proxy's name"
        case .date: "a date, YYYY-MM-DD"
        case .upgrade: "'https' or 'https:PORT'"
        }
    }
}

/// The methods by their names in a rule file, and what `cleartext` may name.
enum AuthenticationWords {
    static let methods = ["basic", "digest", "ntlm", "negotiate", "bearer", "client-certificate"]
    static let cleartext = ["basic", "bearer", "header", "ntlm"]
}

/// A mapping with fixed keys.
final class SchemaSection: Sendable {
    /// With its article: "a space".
    let title: String
    let keys: [SchemaKey]
    /// Words of other programs and the key (or the advice, where it holds a blank) that is meant.
    let synonyms: [String: String]

    init(_ title: String, _ keys: [SchemaKey], synonyms: [String: String] = [:]) {
        self.title = title
        self.keys = keys
        self.synonyms = synonyms
    }

    func key(_ name: String) -> SchemaKey? { keys.first { $0.name == name } }
}

/// One key of a section.
struct SchemaKey: Sendable {
    let name: String
    let type: SchemaType
    var isRequired = false
    /// What stands under it is hidden in excerpts although it isn't a secret by its form.
    var isHidden = false

    init(_ name: String, _ type: SchemaType) {
        self.name = name
        self.type = type
    }

    var required: SchemaKey { changed { $0.isRequired = true } }

    var hidden: SchemaKey { changed { $0.isHidden = true } }

    private func changed(_ change: (inout SchemaKey) -> Void) -> SchemaKey {
        var key = self
        change(&key)
        return key
    }
}

extension [String] {
    /// "a, b or c".
    var joinedAsChoice: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
