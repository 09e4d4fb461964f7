internal import Bytes
package import Crypto
internal import HTTP

/// A protection space of one origin or parent that a credential was confirmed in, and where it may be sent ahead.
package struct LearnedSpace: Sendable {
    /// Where a value may be sent without waiting for a challenge.
    package enum Scope: Equatable, Sendable {
        /// The whole origin, or the parent.
        case everything
        /// Targets that begin with one of these; with none of them nothing is sent ahead.
        case below([[UInt8]])
    }

    /// Names the space in its `LearnedSpaces`; never used for another one.
    package internal(set) var id = 0
    package internal(set) var credential: Credential
    /// The rule that gave the credential, as its place in the file.
    package internal(set) var ruleIndex: Int
    package let realm: [UInt8]?
    package let method: AuthenticationMethod
    package internal(set) var scope: Scope
    /// The whole value of a Basic or Bearer space.
    package internal(set) var value: Secret?
    /// A handshake authenticates one request alone, not its connection.
    package internal(set) var isForEachRequest = false
    /// The latest challenge of a Digest space.
    package internal(set) var digestChallenge: DigestChallenge?
    /// The directories of targets that were answered; they tell spaces of one origin apart.
    var directories: [[UInt8]] = []

    /// Whether the whole origin lies in it, so that no spelling of a path leads out of it.
    package var isWhole: Bool {
        switch scope {
        case .everything: true
        case .below(let prefixes): prefixes.contains { $0.count == 1 }
        }
    }

    /// What is sent ahead goes below the directories where it was confirmed [RFC 7617, section 2.2].
    var isByDirectory: Bool { method == .basic || method == .bearer }

    /// How deep the target lies in the space; nil outside of it.
    func depth(of path: Span<UInt8>) -> Int? {
        guard let depth = scope.depth(of: path) else { return nil }
        return max(depth, LearnedSpace.longestPrefix(of: path, in: directories) ?? 0)
    }

    /// Whether both are the same space, answered by the same credential for the same rule.
    func isSame(as other: LearnedSpace) -> Bool {
        credential === other.credential && ruleIndex == other.ruleIndex && method == other.method
            && realm == other.realm
    }

    static func longestPrefix(of path: Span<UInt8>, in prefixes: [[UInt8]]) -> Int? {
        var longest: Int?
        for index in prefixes.indices {
            let prefix = prefixes[index]
            guard prefix.count <= path.count, prefix.count > longest ?? -1 else { continue }
            if ASCII.equals(path.extracting(first: prefix.count), prefix.span) { longest = prefix.count }
        }
        return longest
    }

    /// The path up to and with its last slash, the query cut [RFC 7617, section 2.2]; nil for a target without a path.
    static func directory(of path: Span<UInt8>) -> [UInt8]? {
        if path.isEmpty { return [UInt8(ascii: "/")] }
        guard path[0] == UInt8(ascii: "/") else { return nil }
        let end = ASCII.firstIndex(of: UInt8(ascii: "?"), in: path) ?? path.count
        var slash = end - 1
        while path[slash] != UInt8(ascii: "/") { slash -= 1 }
        return [UInt8](path.extracting(0...slash))
    }
}

extension LearnedSpace.Scope {
    /// The scope of a Digest challenge: what its `domain` names within `origin` [RFC 7616, section 3.3].
    ///
    /// Without `domain` it is the whole origin; so it is for a parent, where `domain` means nothing. A list that names
    /// nothing within the origin licenses nothing there: each exchange starts from the challenge.
    init(domain: [[UInt8]], of origin: Origin?) {
        guard let origin, !domain.isEmpty else {
            self = .everything
            return
        }
        self = .below(domain.prefix(LearnedSpaces.maximumDirectories).compactMap { Self.path(of: $0.span, in: origin) })
    }

    fileprivate func depth(of path: Span<UInt8>) -> Int? {
        switch self {
        case .everything: 0
        case .below(let prefixes): LearnedSpace.longestPrefix(of: path, in: prefixes)
        }
    }

    /// The path of a URI of `origin`; nil for one of another origin and for what is neither absolute nor a path.
    private static func path(of uri: Span<UInt8>, in origin: Origin) -> [UInt8]? {
        guard let first = uri.indices.first else { return nil }
        let isPath = uri[first] == UInt8(ascii: "/")
        if isPath && (uri.count == 1 || uri[1] != UInt8(ascii: "/")) { return [UInt8](uri) }
        var start = 2
        if !isPath {
            guard let colon = ASCII.firstIndex(of: UInt8(ascii: ":"), in: uri), colon + 2 < uri.count,
                uri[colon + 1] == UInt8(ascii: "/"), uri[colon + 2] == UInt8(ascii: "/"),
                Scheme(uri.extracting(0..<colon)) == origin.scheme
            else { return nil }
            start = colon + 3
        }
        let end = ASCII.firstIndex(of: UInt8(ascii: "/"), in: uri, from: start) ?? uri.count
        let bytes = uri.extracting(start..<end)
        guard let authority = Authority.parse(bytes),
            Origin(scheme: origin.scheme, authority: authority, bytes: bytes) == origin
        else { return nil }
        return end == uri.count ? [UInt8(ascii: "/")] : [UInt8](uri.extracting(end...))
    }
}
