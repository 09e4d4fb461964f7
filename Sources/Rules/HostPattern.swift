package import Bytes

/// Which hosts a rule, a route or a list is about, compared with the name as it stands in the request target.
///
/// Addresses and networks match literal addresses only, never a name that would first have to be resolved.
package struct HostPattern: Hashable, Sendable {
    /// The five forms; names are lower case, in A-labels and without a trailing dot.
    package enum Form: Hashable, Sendable {
        /// That name alone.
        case exact(String)
        /// Exactly one label in place of the star before this name.
        case oneLabel(below: String)
        /// This name and everything below it.
        case domain(String)
        /// One literal address.
        case address(IPAddress)
        /// The literal addresses of a network.
        case network(IPNetwork)
        /// Everything.
        case any
    }

    /// What was written, in normal form.
    package let form: Form

    /// A pattern from its normal form.
    package init(form: Form) {
        self.form = form
    }

    /// Reads a pattern as it is written in the rule file; the error says which form to write.
    package init(_ text: String) throws(HostPatternError) {
        try HostPattern.refuseForeignForms(text)
        if text == "*" {
            form = .any
        } else if text.utf8.contains(UInt8(ascii: "/")) {
            form = .network(try HostPattern.network(text))
        } else if let address = IPAddress(text) {
            form = .address(address.unmapped)
        } else if text.utf8.starts(with: "*.".utf8) {
            form = .oneLabel(below: try HostName.normalized(String(text.dropFirst(2))))
        } else if text.utf8.first == UInt8(ascii: ".") {
            form = .domain(try HostName.normalized(String(text.dropFirst())))
        } else {
            form = .exact(try HostName.normalized(text))
        }
    }

    /// Whether the pattern names this host.
    ///
    /// `host` is in lower case, without brackets and trailing dot, as `Origin` keeps it; `address` is what it says if it
    /// is a literal address.
    package func matches(host: String, address: IPAddress?) -> Bool {
        switch form {
        case .any: return true
        case .exact(let name): return address == nil && host == name
        case .address(let own): return address?.unmapped == own
        case .network(let network): return address.map { network.contains($0) } ?? false
        case .domain(let name):
            return address == nil && (host == name || HostPattern.labels(of: host, before: name) != nil)
        case .oneLabel(let name):
            guard address == nil, let labels = HostPattern.labels(of: host, before: name) else { return false }
            return !labels.isEmpty && !labels.contains(UInt8(ascii: "."))
        }
    }

    /// Whether the part that is fixed is no more than a single label (`*.com`, `.corp`, `*`), so that the pattern reaches
    /// hosts of many owners.
    package var isTooWideForSecret: Bool {
        switch form {
        case .any: true
        case .domain(let name), .oneLabel(let name): !name.utf8.contains(UInt8(ascii: "."))
        case .exact, .address, .network: false
        }
    }

    /// Whether every host that the other pattern matches is matched by this one, too.
    package func covers(_ other: HostPattern) -> Bool {
        switch (form, other.form) {
        case (.any, _): true
        case (_, .any): false
        case (.domain(let name), .exact(let inner)), (.domain(let name), .domain(let inner)):
            inner == name || HostPattern.labels(of: inner, before: name) != nil
        case (.domain(let name), .oneLabel(let inner)):
            inner == name || HostPattern.labels(of: inner, before: name) != nil
        case (.oneLabel, .exact(let inner)): matches(host: inner, address: nil)
        case (.network, .address(let inner)): matches(host: "", address: inner)
        case (.network(let outer), .network(let inner)):
            outer.prefixLength <= inner.prefixLength && outer.contains(inner.address)
        default: form == other.form
        }
    }

    /// What stands before the dot and the given name at the end of a host, or nil if the host isn't below that name.
    private static func labels(of host: String, before name: String) -> Substring.UTF8View? {
        let surplus = host.utf8.count - name.utf8.count - 1
        guard surplus >= 0 else { return nil }
        let dot = host.utf8.index(host.utf8.startIndex, offsetBy: surplus)
        guard host.utf8[dot] == UInt8(ascii: ".") else { return nil }
        guard host.utf8[dot...].dropFirst().elementsEqual(name.utf8) else { return nil }
        return host.utf8[..<dot]
    }
}
