internal import Bytes

extension HostPattern {
    /// Refuses what other programs' lists take for a host, with the form that says the same here.
    static func refuseForeignForms(_ text: String) throws(HostPatternError) {
        guard !text.isEmpty else { throw .empty }
        if let error = urlError(text) { throw error }
        let names = text.split { $0 == "," || $0 == ";" || $0.isWhitespace }.map(String.init)
        guard names.count == 1, names == [text] else { throw names.isEmpty ? .empty : .list(names) }
        if let at = text.lastIndex(of: "@") {
            throw .userinfo(host: String(text[text.index(after: at)...]))
        }
        if text.hasPrefix("[") { throw bracketError(text) }
        if let error = portError(text) { throw error }
        if let error = starError(text) { throw error }
    }

    /// Reads an address and a prefix length.
    static func network(_ text: String) throws(HostPatternError) -> IPNetwork {
        if let network = IPNetwork(text) { return network }
        let host = text.prefix { $0 != "/" }
        let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        throw isAddress ? .malformedNetwork : .path(host: String(host))
    }

    private static func urlError(_ text: String) -> HostPatternError? {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let authority = text[text.index(colon, offsetBy: 3)...].prefix { !"/?#".contains($0) }
        let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        return .url(scheme: text[..<colon].lowercased(), host: String(withoutPort(host)))
    }

    private static func withoutPort(_ host: Substring) -> Substring {
        if host.hasPrefix("[") { return host.dropFirst().prefix { $0 != "]" } }
        guard let colon = host.firstIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber) else {
            return host
        }
        return host[..<colon]
    }

    private static func bracketError(_ text: String) -> HostPatternError {
        let address = String(text.dropFirst().prefix { $0 != "]" })
        let rest = text.dropFirst(address.count + 2)
        return rest.hasPrefix(":")
            ? .port(host: "\"\(address)\"", port: String(rest.dropFirst())) : .brackets(address: address)
    }

    private static func portError(_ text: String) -> HostPatternError? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2 { return .port(host: String(parts[0]), port: String(parts[1])) }
        guard parts.count > 2, !text.contains("/"), !text.contains("*") else { return nil }
        return IPAddress(text) == nil ? .malformedAddress : nil
    }

    private static func starError(_ text: String) -> HostPatternError? {
        guard text.contains("*"), text != "*" else { return nil }
        let rest = text.drop { $0 == "*" || $0 == "." }
        if text.contains(":") { return .addressWithStar(network: "fd00::/8") }
        if text.allSatisfy({ $0.isNumber || "*./".contains($0) }) {
            return .addressWithStar(network: networkMeant(by: text))
        }
        if text.hasPrefix("*."), !rest.contains("*"), text.dropFirst(2) == rest { return nil }
        return .misplacedStar(domain: rest.contains("*") || rest.isEmpty ? nil : String(rest))
    }

    /// The network of the octets that stand before the first star.
    private static func networkMeant(by text: String) -> String? {
        let octets = text.split(separator: ".").prefix { $0 != "*" }
        guard (1...3).contains(octets.count), octets.allSatisfy({ UInt8($0) != nil }) else { return nil }
        let zeros = Array(repeating: "0", count: 4 - octets.count)
        return "\((octets.map(String.init) + zeros).joined(separator: "."))/\(octets.count * 8)"
    }
}
