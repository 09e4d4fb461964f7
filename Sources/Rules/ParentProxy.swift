package import Authentication
package import Bytes
package import HTTP

/// A proxy that requests may be sent to.
package final class ParentProxy: Sendable {
    /// Its name in the rule file.
    package let name: String
    /// Where it stands.
    package let place: SourcePlace
    /// What it speaks.
    package enum Kind: Equatable, Sendable {
        /// HTTP, over TLS where its origin is https.
        case http
        /// SOCKS version 5 (RFC 1928, 1929).
        case socks5
    }

    /// What it speaks.
    package let kind: Kind
    /// Where it listens; http for a SOCKS5 proxy.
    package let origin: Origin
    /// The proxy through which it is reached; nil: directly.
    package let via: ParentProxy?
    /// The credentials that answer its challenges, in order (`use`).
    package let credentials: [Credential]
    /// The written order of methods; nil: all that each credential answers.
    package let methods: [AuthenticationMethod]?
    /// The methods that may be used without TLS.
    package let cleartext: MethodSet
    /// When its credentials are sent ahead; nil: as is usual for each.
    package let preempt: Preemption?
    /// Rejections after which a credential is withheld.
    package let maxFailures: Int
    /// How long a credential is withheld; nil: until its secret changes.
    package let withholdFor: Nanoseconds?

    /// A parent from all that is written of it; what is left out is the rule file's default.
    package init(
        name: String,
        place: SourcePlace,
        kind: Kind = .http,
        origin: Origin,
        via: ParentProxy? = nil,
        credentials: [Credential] = [],
        methods: [AuthenticationMethod]? = nil,
        cleartext: MethodSet = [],
        preempt: Preemption? = nil,
        maxFailures: Int = 1,
        withholdFor: Nanoseconds? = nil
    ) {
        self.name = name
        self.place = place
        self.kind = kind
        self.origin = origin
        self.via = via
        self.credentials = credentials
        self.methods = methods
        self.cleartext = cleartext
        self.preempt = preempt
        self.maxFailures = maxFailures
        self.withholdFor = withholdFor
    }

    /// Whether nobody on the way sees what is sent to it: TLS, or this machine, which no other proxy stands before.
    package var isReachedSecurely: Bool {
        origin.scheme == .https || via == nil && IPAddress(origin.host)?.isLoopback == true
    }

    /// Its `use` as rules for its own host and port, one for each credential, whose indices begin at `start`.
    func rules(from start: Int) -> [Rule] {
        let form: HostPattern.Form = IPAddress(origin.host).map { .address($0.unmapped) } ?? .exact(origin.host)
        return credentials.enumerated().map { number, credential in
            Rule(
                index: start + number,
                name: credentials.count == 1 ? "proxies.\(name).use" : "proxies.\(name).use[\(number)]",
                place: place,
                space: ProtectionSpacePattern(
                    hosts: [HostPattern(form: form)],
                    port: .number(origin.port),
                    isProxy: true,
                    // A SOCKS5 proxy's login is taken for an answer to basic, which shows no less [RFC 1929].
                    methods: kind == .socks5 ? [.basic] : methods
                ),
                disposition: .useCredential(credential),
                preempt: preempt ?? credential.usualPreemption(namesRealm: false),
                maxFailures: maxFailures,
                withholdFor: withholdFor,
                cleartext: cleartext
            )
        }
    }
}
