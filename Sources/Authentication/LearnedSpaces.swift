internal import Bytes
package import Crypto
package import HTTP

/// What one loop has learned of one origin or one parent: its protection spaces and their idle nonces.
///
/// A space is learned when its credential was confirmed, never before. The ids that it gives out stay valid while the
/// space is known and name nothing afterwards.
package struct LearnedSpaces {
    /// How many spaces are kept; the one that was learned the longest ago gives way.
    package static let maximumSpaces = 64
    /// How many idle nonces a space keeps; one more is dropped.
    package static let maximumIdleSessions = 256
    /// How many directories a space keeps.
    static let maximumDirectories = 64
    /// The longest directory that is kept, in bytes: a client that makes up paths mustn't fill the memory.
    static let maximumDirectoryCount = 1024

    private let origin: Origin?
    // In the order of learning; both arrays have the same places.
    private var spaces: [LearnedSpace] = []
    private var idle: [[DigestSession]] = []
    private var lastID = 0

    /// Nothing learned yet of an origin.
    package init(origin: Origin) {
        self.origin = origin
    }

    /// Nothing learned yet of a parent, whose spaces know no path [RFC 7617, section 2.2; RFC 7616, section 3.3].
    package static var ofParent: LearnedSpaces { LearnedSpaces(nil) }

    private init(_ origin: Origin?) {
        self.origin = origin
    }

    /// Whether nothing is known, so that nothing can be sent ahead.
    package var isEmpty: Bool { spaces.isEmpty }
    /// How many spaces are known.
    package var count: Int { spaces.count }
    /// The spaces without their nonces, for the other loops' `adopt`.
    package var snapshot: [LearnedSpace] { spaces }

    /// The space of that id, if it is still known.
    package subscript(id: Int) -> LearnedSpace? {
        guard let place = place(of: id) else { return nil }
        return spaces[place]
    }

    /// The rule of a space; cheaper than the whole space.
    package func ruleIndex(of id: Int) -> Int? {
        guard let place = place(of: id) else { return nil }
        return spaces[place].ruleIndex
    }

    /// The value of a Basic or Bearer space; nil also for any other.
    package func value(of id: Int) -> Secret? {
        guard let place = place(of: id) else { return nil }
        return spaces[place].value
    }

    /// Learns that `credential` was confirmed for `path` by this Basic value; returns the space's id.
    package mutating func learn(
        credential: Credential,
        ruleIndex: Int,
        realm: [UInt8]?,
        basicValue: Secret,
        path: Span<UInt8>
    ) -> Int {
        learn(credential: credential, ruleIndex: ruleIndex, realm: realm, value: basicValue, of: .basic, path: path)
    }

    /// Learns that `credential` was confirmed for `path` by this value of Basic or Bearer; returns the space's id.
    package mutating func learn(
        credential: Credential,
        ruleIndex: Int,
        realm: [UInt8]?,
        value: Secret,
        of method: AuthenticationMethod,
        path: Span<UInt8>
    ) -> Int {
        var space = LearnedSpace(
            credential: credential,
            ruleIndex: ruleIndex,
            realm: realm,
            method: method,
            scope: origin == nil ? .everything : .below([])
        )
        space.value = value
        return merge(space, path: path)
    }

    /// Learns that a handshake by this method confirmed `credential`, which goes for the whole origin or parent; returns
    /// the space's id, and whether it is new.
    package mutating func learn(
        credential: Credential,
        ruleIndex: Int,
        handshake method: AuthenticationMethod
    ) -> (id: Int, isNew: Bool) {
        let space = LearnedSpace(
            credential: credential,
            ruleIndex: ruleIndex,
            realm: nil,
            method: method,
            scope: .everything
        )
        if let known = spaces.first(where: { $0.isSame(as: space) }) { return (known.id, false) }
        return (merge(space, path: nil), true)
    }

    /// The server wants a handshake for each request of that space (RFC 4559 says nothing of the connection).
    package mutating func noteEachRequest(_ id: Int) {
        if let place = place(of: id) { spaces[place].isForEachRequest = true }
    }

    /// The method of a space; cheaper than the whole space.
    package func method(of id: Int) -> AuthenticationMethod? {
        guard let place = place(of: id) else { return nil }
        return spaces[place].method
    }

    /// The space that a handshake of this method taught for the credential.
    package func handshakeSpace(_ credential: Credential, _ method: AuthenticationMethod) -> LearnedSpace? {
        spaces.first { $0.method == method && $0.credential === credential }
    }

    /// Learns that `credential` was confirmed for `path` in answer to this challenge; returns the space's id.
    package mutating func learn(
        credential: Credential,
        ruleIndex: Int,
        challenge: DigestChallenge,
        path: Span<UInt8>
    ) -> Int {
        var space = LearnedSpace(
            credential: credential,
            ruleIndex: ruleIndex,
            realm: challenge.realm,
            method: .digest,
            scope: LearnedSpace.Scope(domain: challenge.domain, of: origin)
        )
        space.digestChallenge = challenge
        return merge(space, path: path)
    }

    /// The id of the space that the target lies deepest in, the latest learned among equals; allocates nothing.
    ///
    /// `path` is the path with its query; of a parent's spaces any target will do.
    package func match(path: Span<UInt8>) -> Int? {
        match(path: path) { _ in true }
    }

    /// The same among the spaces of rules that `isAllowed`, since one space may have another credential for each client.
    package func match(path: Span<UInt8>, isAllowed: (_ ruleIndex: Int) -> Bool) -> Int? {
        var best: Int?
        var bestDepth = -1
        for place in spaces.indices {
            guard let depth = spaces[place].depth(of: path), depth >= bestDepth else { continue }
            guard isAllowed(spaces[place].ruleIndex) else { continue }
            best = spaces[place].id
            bestDepth = depth
        }
        return best
    }

    /// An idle nonce of the space, which then belongs to the caller; the one that was used last.
    package mutating func takeSession(_ id: Int) -> DigestSession? {
        guard let place = place(of: id) else { return nil }
        return idle[place].popLast()
    }

    /// Keeps a nonce whose connection has gone for another one; it is dropped if its space is forgotten or full.
    package mutating func giveBack(_ session: DigestSession, to id: Int) {
        guard let place = place(of: id), !session.isExhausted else { return }
        if idle[place].count < Self.maximumIdleSessions { idle[place].append(session) }
    }

    /// How many idle nonces the space has.
    package func idleSessionCount(of id: Int) -> Int {
        guard let place = place(of: id) else { return 0 }
        return idle[place].count
    }

    /// Forgets one space and its nonces.
    package mutating func forget(_ id: Int) {
        if let place = place(of: id) { remove(at: place) }
    }

    /// Forgets all spaces of the credential of that name.
    package mutating func forget(credentialNamed name: String) {
        for place in spaces.indices.reversed() where spaces[place].credential.name == name { remove(at: place) }
    }

    /// Ties each space to the credential and rule that `body` names for it after a reload; forgets it for nil.
    package mutating func rebind(_ body: (LearnedSpace) -> (credential: Credential, ruleIndex: Int)?) {
        for place in spaces.indices.reversed() {
            if let (credential, ruleIndex) = body(spaces[place]) {
                spaces[place].credential = credential
                spaces[place].ruleIndex = ruleIndex
            } else {
                remove(at: place)
            }
        }
    }

    /// Learns what another loop has learned of the same origin or parent.
    package mutating func adopt(_ snapshot: [LearnedSpace]) {
        for space in snapshot {
            let directories = space.directories
            var bare = space
            bare.directories = []
            let id = merge(bare, path: nil)
            for directory in directories { add(directory, to: id) }
        }
    }
}

extension LearnedSpaces {
    private func place(of id: Int) -> Int? {
        for place in spaces.indices where spaces[place].id == id { return place }
        return nil
    }

    private mutating func remove(at place: Int) {
        spaces.remove(at: place)
        idle.remove(at: place)
    }

    /// Puts the space behind all others, with what was known of it.
    private mutating func merge(_ space: LearnedSpace, path: Span<UInt8>?) -> Int {
        var space = space
        var sessions: [DigestSession] = []
        if let place = spaces.firstIndex(where: { $0.isSame(as: space) }) {
            space.id = spaces[place].id
            space.directories = spaces[place].directories
            if space.isByDirectory { space.scope = spaces[place].scope }
            space.isForEachRequest = spaces[place].isForEachRequest
            sessions = idle[place]
            remove(at: place)
        } else {
            lastID += 1
            space.id = lastID
        }
        if spaces.count >= Self.maximumSpaces { remove(at: 0) }
        spaces.append(space)
        idle.append(sessions)
        if let path, let directory = LearnedSpace.directory(of: path) { add(directory, to: space.id) }
        return space.id
    }

    /// Notes that the space answers in that directory, where another realm no longer does.
    private mutating func add(_ directory: [UInt8], to id: Int) {
        guard origin != nil, directory.count <= Self.maximumDirectoryCount, let place = place(of: id) else { return }
        for other in spaces.indices where spaces[other].realm != spaces[place].realm {
            spaces[other].drop(directory)
        }
        spaces[place].add(directory)
    }
}

extension LearnedSpace {
    fileprivate mutating func add(_ directory: [UInt8]) {
        if directories.contains(directory) { return }
        if directories.count >= LearnedSpaces.maximumDirectories { directories.removeFirst() }
        directories.append(directory)
        takeScopeFromDirectories()
    }

    fileprivate mutating func drop(_ directory: [UInt8]) {
        directories.removeAll { $0 == directory }
        takeScopeFromDirectories()
    }

    private mutating func takeScopeFromDirectories() {
        if isByDirectory { scope = .below(directories) }
    }
}

@available(*, unavailable)
extension LearnedSpaces: Sendable {}
