internal import Bytes

/// NO_PROXY, as curl has it since 7.86.
///
/// Its entries aren't host patterns: a name is itself and all below it, with or without a dot before it; `*` means
/// everything as the whole of the list only; an entry with a port matches nothing.
package struct ExemptHosts: Equatable, Sendable {
    private let isEverything: Bool
    /// In lower case, without a dot at either end.
    private let names: [String]
    private let networks: [IPNetwork]

    /// Reads the value of the variable.
    package init(_ text: String) {
        isEverything = text == "*"
        let entries = text.split { $0 == "," || $0 == " " || $0 == "\t" }
        networks = entries.compactMap(ExemptHosts.network)
        names = entries.map { entry in
            let name = entry.last == "." ? entry.dropLast() : entry
            return (name.first == "." ? name.dropFirst() : name).lowercased()
        }.filter { !$0.isEmpty }
    }

    /// Whether a host, as `Origin` keeps it, is reached directly.
    package func contains(host: String) -> Bool {
        if isEverything { return true }
        if let address = IPAddress(host) {
            return networks.contains { $0.address.family == address.family && $0.contains(address) }
        }
        return names.contains { name in
            let surplus = host.utf8.count - name.utf8.count
            guard surplus >= 0, host.utf8.dropFirst(surplus).elementsEqual(name.utf8) else { return false }
            return surplus == 0 || host.utf8.dropFirst(surplus - 1).first == UInt8(ascii: ".")
        }
    }

    /// An address or a network; of one without any bits to compare, curl compares all.
    private static func network(_ entry: Substring) -> IPNetwork? {
        guard let network = IPNetwork(String(entry)), network.prefixLength == 0 else { return IPNetwork(String(entry)) }
        return IPAddress(String(entry.prefix { $0 != "/" })).map { IPNetwork($0) }
    }
}
