internal import Bytes
internal import Events
internal import Rules
internal import TLS
internal import Trust

/// The leafs of one authority, each minted once, off the loops, and kept while it is of use (I-1).
final class LeafMint: Sendable {
    enum Outcome: Sendable {
        case minted(MintedLeaf)
        /// With what went wrong.
        case failed(String)
    }

    typealias Waiter = @Sendable (Outcome) -> Void

    fileprivate struct State: Sendable {
        var leafs: [ReferenceIdentity: MintedLeaf] = [:]
        /// Names that are being minted, and who waits for them.
        var waiting: [ReferenceIdentity: [Waiter]] = [:]
    }

    /// What the authority was made of.
    let configuration: InterceptionConfiguration.Authority
    private let authority: CertificateAuthority
    private let lane: WorkLane
    private let state = Locked(State())
    /// Leafs that are kept at most, of about 1 KiB each.
    private static let bound = 4096

    /// The mint of the authority that the rule file names; `now` is in seconds of Unix time.
    init(_ configuration: InterceptionConfiguration.Authority, lane: WorkLane, now: Int64) throws(TLSError) {
        self.configuration = configuration
        self.lane = lane
        authority = try CertificateAuthority(
            certificate: configuration.certificate.span,
            privateKey: configuration.privateKey,
            now: now
        )
    }

    /// The leaf for this identity; nil where it has to be minted first, and `waiter` is told on the lane's thread.
    func leaf(for identity: ReferenceIdentity, now: Int64, else waiter: @escaping Waiter) -> MintedLeaf? {
        let (leaf, isFirst) = state.withLock { state -> (MintedLeaf?, Bool) in
            if let leaf = state.leafs[identity], !leaf.isDue(at: now) { return (leaf, false) }
            state.waiting[identity, default: []].append(waiter)
            return (nil, state.waiting[identity]?.count == 1)
        }
        if isFirst, !lane.submit({ [self] in mint(identity, now) }) {
            tell(identity, .failed("there is no thread to mint on"))
        }
        return leaf
    }

    private func mint(_ identity: ReferenceIdentity, _ now: Int64) {
        do throws(TLSError) {
            tell(identity, .minted(try authority.mint(for: identity, now: now)))
        } catch {
            tell(identity, .failed(error.description))
        }
    }

    private func tell(_ identity: ReferenceIdentity, _ outcome: Outcome) {
        let waiters = state.withLock { state in
            if case .minted(let leaf) = outcome { state.keep(leaf, identity, bound: Self.bound) }
            return state.waiting.removeValue(forKey: identity) ?? []
        }
        for waiter in waiters { waiter(outcome) }
    }
}

extension LeafMint.State {
    fileprivate mutating func keep(_ leaf: MintedLeaf, _ identity: ReferenceIdentity, bound: Int) {
        // To mint one again costs less than to know which is used least.
        if leafs.count >= bound, leafs[identity] == nil, let any = leafs.keys.first { leafs[any] = nil }
        leafs[identity] = leaf
    }
}
