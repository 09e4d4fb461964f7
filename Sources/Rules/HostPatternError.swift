/// Why a text is no host pattern, and which form to write in its place.
package enum HostPatternError: Error, Equatable, Sendable {
    /// Nothing was written.
    case empty
    /// A part of an address with a star, as `10.*`; the network that was probably meant, if the octets before the star say.
    case addressWithStar(network: String?)
    /// A star that is not a whole label at the beginning, as `*example.com`, `www.*` or `**.example.com`.
    case misplacedStar(domain: String?)
    /// A port behind the name, as `host:8443`.
    case port(host: String, port: String)
    /// A URL in place of a name, as `https://host/path`.
    case url(scheme: String, host: String)
    /// Several names in one text, as `a,b` or `a b`.
    case list([String])
    /// An IPv6 address in brackets, as `[::1]`.
    case brackets(address: String)
    /// A path behind the name that is no network, as `host/path`.
    case path(host: String)
    /// A user before the name, as `user@host`.
    case userinfo(host: String)
    /// A network whose prefix length or address is wrong, as `10.0.0.0/33`.
    case malformedNetwork
    /// A number in place of the last label that makes no address, as `10.1` or `256.0.0.1`.
    case malformedAddress
    /// A label of nothing, as in `a..b`.
    case emptyLabel
    /// A label over 63 or a name over 253 bytes [RFC 1035 s.2.3.4].
    case tooLong
    /// A character that no name has.
    case invalidCharacter
    /// A character beyond ASCII that would first have to be mapped to another; the A-label form is never in doubt.
    case needsALabel

    /// One sentence, which never repeats more of the text than the form to use needs.
    package var message: String {
        switch self {
        case .empty: "a host pattern is empty"
        case .addressWithStar(let network):
            "a star can't stand for a part of an address; write a network such as \(network ?? "10.0.0.0/8")"
        case .misplacedStar(let domain):
            """
            a star stands for exactly one whole label at the beginning; write "*.\(domain ?? "example.com")" for that, \
            or .\(domain ?? "example.com") for the name and everything below it
            """
        case .port(let host, let port): "a port is no part of a host pattern; write host: \(host) and port: \(port)"
        case .url(let scheme, let host): Self.urlMessage(scheme: scheme, host: host)
        case .list(let names): "several hosts are a list; write [\(names.joined(separator: ", "))]"
        case .brackets(let address): "an IPv6 address stands without brackets here; write \"\(address)\""
        case .path(let host): "a path is no part of a host pattern; write host: \(host) and the path under its own key"
        case .userinfo(let host): "a login is no part of a host pattern; write \(host)"
        case .malformedNetwork: "this is no network; write an address and a prefix length, as 10.0.0.0/8 or fd00::/8"
        case .malformedAddress: "this is neither an address nor a name; write four numbers up to 255, as 192.0.2.7"
        case .emptyLabel: "a label of the name is empty; write the name with single dots"
        case .tooLong: "a label has at most 63 bytes, a name 253"
        case .invalidCharacter: "a host name has letters, digits, '-' and '_' only"
        case .needsALabel: "this name isn't in its normal form; write its A-label, which begins with xn--"
        }
    }

    private static func urlMessage(scheme: String, host: String) -> String {
        let key = ["http", "https"].contains(scheme) ? " and protocol: \(scheme)" : ""
        return "a URL is no host pattern; write host: \(host)\(key)"
    }
}
