internal import Bytes
package import Crypto

/// Whose TLS is opened, and in whose name (I-1).
package struct InterceptionConfiguration: Sendable {
    /// The authority that leafs are minted by.
    package struct Authority: Equatable, Sendable {
        /// The path of its certificate, for messages.
        package let certificatePath: String
        /// Where its certificate was read, for other programs; nil: it is in no file.
        package let certificateFile: String?
        /// Its certificate as PEM; further ones of the file are its issuers.
        package let certificate: [UInt8]
        /// Its private key as PEM.
        package let privateKey: Secret

        /// An authority from its parts.
        package init(
            certificatePath: String,
            certificateFile: String? = nil,
            certificate: [UInt8],
            privateKey: Secret
        ) {
            self.certificatePath = certificatePath
            self.certificateFile = certificateFile
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }

    /// What becomes of what isn't TLS or HTTP in an opened CONNECT.
    package enum Other: UInt8, Hashable, Sendable {
        case tunnel, refuse
    }

    /// The authority that leafs are minted by.
    package let authority: Authority
    /// Whose TLS is opened: as written, else the hosts of rules and of pins.
    package let hosts: [HostPattern]
    /// Hosts that are left out.
    package let except: [HostPattern]
    /// nil: as I-3 says.
    package let other: Other?
    private let opened: HostIndex
    private let leftOut: HostIndex

    /// A configuration from all its parts.
    package init(authority: Authority, hosts: [HostPattern], except: [HostPattern], other: Other?) {
        self.authority = authority
        self.hosts = hosts
        self.except = except
        self.other = other
        var opened = HostIndex()
        opened.insert(0, hosts: hosts)
        var leftOut = HostIndex()
        leftOut.insert(0, hosts: except)
        self.opened = opened
        self.leftOut = leftOut
    }

    /// Whether this host's TLS is opened; `host` is in lower case, without brackets and trailing dot, as `Origin` keeps it.
    package func opens(host: String) -> Bool {
        let address = IPAddress(host)
        return !opened.entries(host: host, address: address).isEmpty
            && leftOut.entries(host: host, address: address).isEmpty
    }

    /// Whether a host that the pattern matches may be opened: nothing that covers it is left out, and something meets it.
    package func mightOpen(_ pattern: HostPattern) -> Bool {
        hosts.contains { $0.covers(pattern) || pattern.covers($0) } && !except.contains { $0.covers(pattern) }
    }
}
