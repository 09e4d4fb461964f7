package import Bytes
package import Crypto
package import HTTP

/// Who may use the proxy, and for which destinations.
package struct AccessConfiguration: Sendable {
    /// Who may connect; nil: loopback and unix sockets.
    package let clients: [ClientPattern]?
    /// Who has to log in at the proxy.
    package let require: LoginRequirement
    /// What may be reached.
    package let destinations: DestinationRules
    /// The ports to which a CONNECT may lead; nil: any.
    package let connectPorts: Set<UInt16>?
    /// The ports to which a request without a tunnel may lead; nil: any.
    package let plainPorts: Set<UInt16>?

    /// An access from all its parts; what is left out is the rule file's default.
    package init(
        clients: [ClientPattern]? = nil,
        require: LoginRequirement = .none,
        destinations: DestinationRules = DestinationRules(),
        connectPorts: Set<UInt16>? = nil,
        plainPorts: Set<UInt16>? = nil
    ) {
        self.clients = clients
        self.require = require
        self.destinations = destinations
        self.connectPorts = connectPorts
        self.plainPorts = plainPorts
    }
}

/// Whether clients log in at the proxy.
package enum LoginRequirement: Equatable, Sendable {
    /// Nobody has to.
    case none
    /// Everybody, by Basic, as this file has it; `content` is what it held when the rule file was read.
    case htpasswd(path: String, content: [UInt8])
    /// Everybody, by this one `NAME:PASSWORD`, or by being a process of this machine in whose environment it stands.
    case own(Secret)
}

/// Which destinations may be reached: the lists of `access`, and what is refused by default.
package struct DestinationRules: Sendable {
    /// One entry of a list.
    package struct Entry: Sendable {
        /// The host as the client names it, or the address that is dialled.
        package let host: HostPattern
        package let port: PortPattern
        package let scheme: Scheme?
        /// A path prefix on segment borders; with one a CONNECT must be opened to be allowed.
        package let path: PathPattern?
        package let place: SourcePlace

        /// An entry from all its parts.
        package init(host: HostPattern, port: PortPattern, scheme: Scheme?, path: PathPattern?, place: SourcePlace) {
            self.host = host
            self.port = port
            self.scheme = scheme
            self.path = path
            self.place = place
        }
    }

    /// Nothing else is reached; nil: there is no such list.
    package let allow: [Entry]?
    /// What is never reached; it wins over `allow`.
    package let deny: [Entry]

    /// Rules from both lists.
    package init(allow: [Entry]? = nil, deny: [Entry] = []) {
        self.allow = allow
        self.deny = deny
    }
}

/// How names are resolved.
package struct DNSConfiguration: Equatable, Sendable {
    /// Who looks names up.
    package enum Kind: Equatable, Sendable {
        /// On the loop, by the name servers.
        case cares
        /// By the system's resolver, with all that NSS offers.
        case system
    }

    package var kind: Kind
    /// Name servers in place of the system's; a port of 0 is 53.
    package var servers: [Server]

    /// One name server.
    package struct Server: Equatable, Sendable {
        package let address: IPAddress
        package let port: UInt16

        /// A server from its parts.
        package init(address: IPAddress, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// A configuration from its parts.
    package init(kind: Kind = .cares, servers: [Server] = []) {
        self.kind = kind
        self.servers = servers
    }
}
