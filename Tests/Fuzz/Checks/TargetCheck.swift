import Bytes
import HTTP

/// What must hold for any bytes read as a request-target.
package enum TargetCheck {
    /// Reads the input for each kind of method; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        for method in [HTTPMethod.get, .connect, .options] {
            guard let target = RequestTarget.parse(input.span, in: 0..<input.count, method: method) else { continue }
            if let fault = fault(of: target, input, method) { return "\(method.text): \(fault)" }
        }
        return nil
    }

    private static func fault(of target: RequestTarget, _ input: [UInt8], _ method: HTTPMethod) -> String? {
        if !input.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) {
            return "a byte that no target has"
        }
        if target.whole != 0..<input.count { return "a part for the whole" }
        switch target.form {
        case .authority:
            if method != .connect || target.port == nil || target.userinfo != nil { return "authority-form" }
        case .asterisk:
            if method != .options || input != [UInt8(ascii: "*")] { return "asterisk-form" }
        case .origin:
            if input.first != UInt8(ascii: "/") || target.path != target.whole { return "origin-form" }
        case .absolute:
            if target.scheme != nil && target.host.isEmpty { return "no host" }
        }
        if let query = target.query, input[query.lowerBound - 1] != UInt8(ascii: "?") {
            return "a query without its mark"
        }
        return target.host.isEmpty ? nil : faultOfHost(target, input)
    }

    /// The host is one name for everything that asks: the authority's reader, an origin, and the origin's own authority.
    private static func faultOfHost(_ target: RequestTarget, _ input: [UInt8]) -> String? {
        let bytes = Array(input[target.authority])
        guard let authority = Authority.parse(bytes.span) else { return "an authority that doesn't read alone" }
        if authority.port != target.port || authority.isIPv6Literal != target.isIPv6Literal { return "two readings" }
        let origin = Origin(scheme: target.scheme ?? .http, authority: authority, bytes: bytes.span)
        let written = Array(origin.authorityWithPort.utf8)
        guard let again = Authority.parse(written.span) else { return "an origin's authority doesn't read" }
        if Origin(scheme: origin.scheme, authority: again, bytes: written.span) != origin { return "two origins" }
        if origin.host != origin.host.lowercased() || origin.host.hasSuffix(".") {
            return "a host not brought to its form"
        }
        if authority.isIPv6Literal != (IPAddress(origin.host)?.family == .v6) { return "an address that is none" }
        return nil
    }
}
