package import Crypto

/// Who logs in by Kerberos, and what with (C-2, C-10).
package struct KerberosCredential: Equatable, Sendable {
    /// Where the tickets come from.
    package enum Source: Equatable, Sendable {
        /// The process's default cache, as kinit or a login left it.
        case defaultCache
        /// A cache by its name, such as `FILE:/run/ccache` or a path.
        case cache(String)
        /// A keytab by its path, and what it held when it was read.
        case keytab(String, content: Secret)
        case password(Secret)
    }

    /// How the service principal of a server is named (C-9).
    package enum ServiceName: Equatable, Sendable {
        /// `HTTP@` and the host as the URL has it.
        case asGiven
        /// `HTTP@` and the canonical name of the address that is connected.
        case canonical
        /// `SERVICE/HOST` as written.
        case literal(String)
    }

    /// `user@REALM`, or without the realm; nil: the cache's own, or the keytab's first.
    package let principal: String?
    package let source: Source
    package let serviceName: ServiceName

    /// A login in all its parts.
    package init(principal: String?, source: Source, serviceName: ServiceName) {
        self.principal = principal
        self.source = source
        self.serviceName = serviceName
    }
}
