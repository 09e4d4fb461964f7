package import Bytes

/// One entry of a `clients` list.
package enum ClientPattern: Hashable, Sendable {
    /// An address or a network.
    case network(IPNetwork)
    /// `listener:NAME`: the client came by that listener.
    case listener(String)
    /// `uid:N` or `uid:NAME`: the user at the other end.
    case user(UInt32)
    /// `gid:N` or `gid:NAME`: a group of the user at the other end.
    case group(UInt32)
    /// `login:NAME`: the login at the proxy.
    case login(String)

    /// Reads an entry as it is written in the rule file; the error says which form to write.
    ///
    /// `accounts` knows the users and groups that are written by name.
    package init(_ text: String, accounts: Accounts = .none) throws(ClientPatternError) {
        if let network = IPNetwork(text) {
            self = .network(network)
            return
        }
        guard let colon = text.firstIndex(of: ":"), !text.hasPrefix("[") else {
            throw text.contains("/") ? .malformedNetwork : .notAnAddress
        }
        let name = String(text[text.index(after: colon)...])
        let kind = text[..<colon]
        guard ["listener", "uid", "gid", "login"].contains(kind) else {
            throw text.allSatisfy { $0.isHexDigit || ":./".contains($0) }
                ? .malformedNetwork : .unknownKind(String(kind))
        }
        guard !name.isEmpty else { throw .empty }
        switch kind {
        case "listener": self = .listener(name)
        case "uid":
            guard let number = accounts.number(ofUser: name) else { throw .unknownUser(name) }
            self = .user(number)
        case "gid":
            guard let number = accounts.number(ofGroup: name) else { throw .unknownGroup(name) }
            self = .group(number)
        default: self = .login(name)
        }
    }

    /// Whether it is `uid:`.
    package var isUser: Bool {
        if case .user = self { return true }
        return false
    }

    /// Whether it is about logins at the proxy.
    package var isLogin: Bool {
        if case .login = self { return true }
        return false
    }

    /// Whether the entry is about this client.
    package func matches(_ client: Client) -> Bool {
        switch self {
        case .network(let network): client.address.map { network.contains($0) } ?? false
        case .listener(let name): client.listener == name
        case .login(let name): client.login == name
        case .user(let number): client.user == number
        case .group(let number): client.groups.contains(number)
        }
    }
}

/// Why a text is no entry of a `clients` list, and what to write in its place.
package enum ClientPatternError: Error, Equatable, Sendable {
    /// Nothing behind the colon.
    case empty
    /// A host name or some other word; clients are known by their addresses.
    case notAnAddress
    /// An address or a prefix length that makes no network.
    case malformedNetwork
    /// A word before the colon that is none of the four, as `user:`.
    case unknownKind(String)
    /// A name that no user of this machine has.
    case unknownUser(String)
    /// A name that no group of this machine has.
    case unknownGroup(String)

    /// One sentence that names the form to write.
    package var message: String {
        switch self {
        case .empty: "a name is missing behind the colon"
        case .notAnAddress:
            "a client is an address (192.0.2.7), a network (10.0.0.0/8), listener:NAME, uid:NAME, gid:NAME or login:NAME"
        case .malformedNetwork:
            "this is no network; write an address and a prefix length, as 10.0.0.0/8 or \"fd00::/8\""
        case .unknownKind(let kind) where ["user", "unix"].contains(kind):
            "'\(kind):' is no kind of client; write uid:NAME for a user of this machine, login:NAME for a login at the proxy"
        case .unknownKind(let kind):
            "'\(kind):' is no kind of client; there are listener:NAME, uid:NAME, gid:NAME and login:NAME"
        case .unknownUser(let name): "this machine has no user '\(name)'"
        case .unknownGroup(let name): "this machine has no group '\(name)'"
        }
    }
}

/// The users and groups of a machine.
package struct Accounts: Sendable {
    private let user: @Sendable (String) -> UInt32?
    private let group: @Sendable (String) -> UInt32?

    /// Accounts by what finds the number of a name; nil: nobody has that name.
    package init(user: @escaping @Sendable (String) -> UInt32?, group: @escaping @Sendable (String) -> UInt32?) {
        self.user = user
        self.group = group
    }

    /// Nobody has a name.
    package static let none = Accounts(user: { _ in nil }, group: { _ in nil })

    /// The user that a number or a name means; nil: there is none.
    package func number(ofUser text: String) -> UInt32? { Accounts.number(text) ?? user(text) }

    /// The group that a number or a name means; nil: there is none.
    package func number(ofGroup text: String) -> UInt32? { Accounts.number(text) ?? group(text) }

    /// Decimal digits, without the number that the system calls nobody's.
    private static func number(_ text: String) -> UInt32? {
        guard text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
        return UInt32(text).flatMap { $0 == .max ? nil : $0 }
    }
}
