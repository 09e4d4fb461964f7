package import Bytes

/// One entry of a `clients` list.
package enum ClientPattern: Hashable, Sendable {
    /// An address or a network.
    case network(IPNetwork)
    /// `listener:NAME`: the client came by that listener.
    case listener(String)
    /// `uid:N` or `uid:NAME`: the user at the other end.
    case user(String)
    /// `gid:N` or `gid:NAME`: a group of the user at the other end.
    case group(String)
    /// `login:NAME`: the login at the proxy.
    case login(String)

    /// Reads an entry as it is written in the rule file; the error says which form to write.
    package init(_ text: String) throws(ClientPatternError) {
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
        case "uid": self = .user(name)
        case "gid": self = .group(name)
        default: self = .login(name)
        }
    }

    /// The key of a kind of entry that this version of the proxy can't tell yet, to be refused in a rule file.
    package var notBuiltYet: String? {
        switch self {
        case .network, .listener: nil
        case .user: "uid"
        case .group: "gid"
        case .login: "login"
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
        case .user, .group: false
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
        }
    }
}
