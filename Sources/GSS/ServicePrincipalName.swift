package import Authentication
internal import Glibc

/// The name of the service that a handshake is for (C-9).
package struct ServicePrincipalName: Equatable, Sendable {
    /// Its form.
    package enum Form: Equatable, Sendable {
        /// A service on a host, whose realm Kerberos finds.
        case host(service: String, host: String)
        /// A principal as written, such as `HTTP/web.example.com` or with `@REALM` behind it.
        case principal(String)
    }

    package let form: Form

    /// The name that `choice` gives the server `host`, in lower case as the URL has it.
    ///
    /// For `canonical` it asks the system's resolver, and blocks.
    package init(_ choice: KerberosCredential.ServiceName, host: String) throws(GSSError) {
        switch choice {
        case .asGiven: form = .host(service: "HTTP", host: host)
        case .canonical: form = .host(service: "HTTP", host: try Self.canonicalName(of: host))
        case .literal(let name): form = .principal(name)
        }
    }

    /// The name of the web service of a host, as given.
    package init(host: String) { form = .host(service: "HTTP", host: host) }

    /// The service and the host, as a message names it.
    var text: String {
        switch form {
        case .host(let service, let host): "\(service)/\(host)"
        case .principal(let name): name
        }
    }

    /// The name that the forward look-up of `host` ends at; no address is looked up.
    private static func canonicalName(of host: String) throws(GSSError) -> String {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_CANONNAME
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0, let first = unsafe list else {
            let text = "the canonical name of \(host) can't be looked up, which spn: canonical asks for"
            throw GSSError(.unavailable, "kerberos.no-canonical-name", text)
        }
        defer { unsafe freeaddrinfo(list) }
        guard let name = unsafe first.pointee.ai_canonname else { return host }
        return unsafe String(cString: name).lowercased()
    }
}
