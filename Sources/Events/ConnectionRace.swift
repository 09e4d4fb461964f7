package import Bytes

/// What is known so far of a name's addresses.
package struct NameAnswer: Equatable, Sendable {
    /// In the order in which they are worth trying [RFC 6724 s.6].
    package var addresses: [IPAddress]
    /// Nothing more comes; else one of the families is still being asked for.
    package var isWhole: Bool
    /// Why there are none, once that is certain.
    package var error: ResolverError?

    /// An answer from its parts.
    package init(addresses: [IPAddress], isWhole: Bool = true, error: ResolverError? = nil) {
        self.addresses = addresses
        self.isWhole = isWhole
        self.error = error
    }
}

/// Why no connection came about.
package enum DialFailure: Error, Equatable, Sendable {
    /// The name has no address, or none that can be told.
    case notResolved(ResolverError)
    /// The observer didn't permit an address, and no other could be connected to.
    case refused
    /// What the best address said.
    case failed(SystemError, at: IPAddress)
}

/// Which of a name's addresses is connected to, and when, until the first is connected [RFC 8305].
///
/// It holds no socket: told what happens, it says what to do next.
struct ConnectionRace {
    enum Step: Equatable {
        /// Begin to connect to this address, and tell of its end by this number.
        case connect(IPAddress, attempt: Int)
        /// Nothing is to be done before that moment, or before something happens.
        case wait(until: Instant)
        /// None is left.
        case fail(DialFailure)
    }

    /// How long an attempt has the field for itself [RFC 8305 s.5].
    static let attemptDelay: Nanoseconds = .milliseconds(250)
    /// How long IPv4 waits for the addresses of IPv6 [RFC 8305 s.3].
    static let resolutionDelay: Nanoseconds = .milliseconds(50)
    /// Of a name with more addresses the others would hardly answer either.
    static let mostAttempts = 8

    /// Those that were begun, then those to come.
    private var order = [8 of IPAddress?](repeating: nil)
    private var count = 0
    private var begun = 0
    /// A bit for each attempt.
    private var underWay: UInt8 = 0
    private var isWhole = false
    private var resolverError: ResolverError?
    private var nextStart = Instant(nanoseconds: 0)
    private var isHeld = false
    private var isRefused = false
    private var told: (attempt: Int, address: IPAddress, error: SystemError)?

    /// A race for a name whose addresses are offered later.
    init() {}

    /// A race of one.
    init(_ address: IPAddress) {
        order[0] = address
        count = 1
        isWhole = true
    }

    /// Takes what is known of the name by now: what wasn't begun yet is put in order anew, the families in turn, the
    /// preferred one first [RFC 8305 s.4].
    mutating func offer(_ answer: NameAnswer, at now: Instant) {
        isWhole = answer.isWhole
        resolverError = answer.error
        var rest = answer.addresses.filter { !hasBegun($0) }
        var last = begun > 0 ? order[begun - 1]?.family : nil
        count = begun
        while count < Self.mostAttempts, !rest.isEmpty {
            let next = rest.remove(at: rest.firstIndex { $0.family != last } ?? 0)
            order[count] = next
            count += 1
            last = next.family
        }
        guard begun == 0, let first = order[0], count > 0 else { return }
        if isWhole || first.family == .v6 {
            nextStart = now
        } else if !isHeld {
            isHeld = true
            nextStart = now.adding(nanoseconds: Self.resolutionDelay)
        }
    }

    private func hasBegun(_ address: IPAddress) -> Bool {
        for index in 0..<begun where order[index] == address { return true }
        return false
    }

    /// What is to be done now.
    mutating func next(at now: Instant) -> Step {
        if begun < count, let address = order[begun] {
            guard now >= nextStart else { return .wait(until: nextStart) }
            underWay |= 1 << UInt8(begun)
            begun += 1
            nextStart = now.adding(nanoseconds: Self.attemptDelay)
            return .connect(address, attempt: begun - 1)
        }
        guard underWay == 0, isWhole else { return .wait(until: .distantFuture) }
        if isRefused { return .fail(.refused) }
        if let told { return .fail(.failed(told.error, at: told.address)) }
        return .fail(.notResolved(resolverError ?? .notFound))
    }

    /// The attempt came to nothing: the next need wait no longer, unless another one still has the field.
    ///
    /// Of several failures that of an address with a way to it is told, then that of the one tried first.
    mutating func failed(_ attempt: Int, _ error: SystemError) {
        end(attempt)
        guard let address = order[attempt] else { return }
        if let told {
            let known = (told.error.isUnreachable ? 1 : 0, told.attempt)
            guard (error.isUnreachable ? 1 : 0, attempt) < known else { return }
        }
        told = (attempt, address, error)
    }

    /// The attempt may not be made.
    mutating func refused(_ attempt: Int) {
        isRefused = true
        end(attempt)
    }

    private mutating func end(_ attempt: Int) {
        underWay &= ~(1 << UInt8(attempt))
        if underWay == 0 || attempt == begun - 1 { nextStart = Instant(nanoseconds: 0) }
    }
}
