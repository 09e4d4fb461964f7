package import Bytes
package import HTTP

/// Where the proxy listens, and what it takes there.
package struct ListenerConfiguration: Sendable {
    /// A port of an address, or a file.
    package enum Address: Hashable, Sendable {
        /// An address of this machine and a port.
        case tcp(IPAddress, UInt16)
        /// The path of a unix socket.
        case unix(String)
        /// The name of a socket that the service's starter passed on.
        case systemd(String)
    }

    /// What connections are taken for.
    package enum Mode: Sendable {
        /// Absolute-form requests and CONNECT.
        case forward
        /// Requests to one origin, whose reverse proxy this is.
        case fixed(FixedOrigin)
        /// Bytes for this target.
        case tunnel(Origin)
        /// Connections that the kernel redirected here.
        case transparent
        /// SOCKS5's CONNECT (R-10; RFC 1928).
        case socks5
    }

    /// Where it listens.
    package let address: Address
    /// What it takes.
    package let mode: Mode
    /// For `listener:NAME`, log and metrics.
    package let name: String?
    /// Who may connect; nil: as `access` says.
    package let clients: [ClientPattern]?
    /// Who has to log in; nil: as `access` says.
    package let require: LoginRequirement?
    /// The permissions of a unix socket.
    package let modeBits: UInt16
    /// The group of a unix socket; nil: the process's.
    package let group: UInt32?

    /// A listener from all its parts.
    package init(
        address: Address,
        mode: Mode = .forward,
        name: String?,
        clients: [ClientPattern]?,
        require: LoginRequirement? = nil,
        modeBits: UInt16 = 0o600,
        group: UInt32? = nil
    ) {
        self.address = address
        self.mode = mode
        self.name = name
        self.clients = clients
        self.require = require
        self.modeBits = modeBits
        self.group = group
    }

    /// The origin that it is fixed to; nil: it isn't.
    package var fixedOrigin: Origin? {
        if case .fixed(let fixed) = mode { fixed.origin } else { nil }
    }
}

/// The one origin of a `fixed` listener.
package struct FixedOrigin: Sendable {
    /// What is dialled, matched and sent as Host.
    package let origin: Origin
    /// What is put before the client's path: empty, or beginning with a slash and without one at its end.
    package let prefix: String
    /// Further names by which clients call the listener.
    package let names: [HostPattern]

    /// An origin from all its parts.
    package init(origin: Origin, prefix: String, names: [HostPattern]) {
        self.origin = origin
        self.prefix = prefix
        self.names = names
    }
}
