package import Bytes

/// What the text of a host says before anybody is asked.
package enum NameForm: Equatable, Sendable {
    /// A literal address.
    case address(IPAddress)
    /// This machine itself [RFC 6761 s.6.3].
    case localhost
    /// A name that can be asked for.
    case name
    /// Nothing that the DNS could know, or something that the system's resolver would read as an address: with a zone
    /// identifier, or of numbers alone such as 0x7f.1 or 2130706433.
    case nothing

    /// Reads a host in lower case, without brackets.
    package init(_ host: String) {
        if let address = IPAddress(host) {
            self = .address(address)
            return
        }
        var name = host.utf8[...]
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if name.isEmpty || name.count > 253 || !name.allSatisfy(Self.mayStand) || labels.allSatisfy(Self.isNumber) {
            self = .nothing
        } else if labels.last?.elementsEqual("localhost".utf8) == true {
            self = .localhost
        } else {
            self = .name
        }
    }

    /// What no name of a host holds [RFC 3986 s.3.2.2], or what C-ares would read as an escape.
    private static func mayStand(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7f && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "%")
            && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\")
    }

    /// Whether inet_aton(3) reads the label.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy({ ASCII.isDigit($0) }) { return true }
        guard label.starts(with: "0x".utf8) else { return false }
        return label.dropFirst(2).allSatisfy { ASCII.isHexDigit($0) }
    }
}
