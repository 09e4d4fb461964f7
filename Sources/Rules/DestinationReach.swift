internal import Bytes

/// For whose requests an address may be dialled.
package enum DestinationReach: Equatable, Sendable {
    /// For every client's.
    case everybody
    /// For those of clients of this machine alone.
    case localClients
    /// For nobody's.
    case nobody

    /// Whether a client of this machine, or one of another, may have it reached.
    package func admits(isLocal: Bool) -> Bool {
        switch self {
        case .everybody: true
        case .localClients: isLocal
        case .nobody: false
        }
    }

    /// What holds by default of an address in any of its spellings; `isOwn` tells the machine's own.
    init(byDefault address: IPAddress, isOwn: (IPAddress) -> Bool) {
        if address.anyForm(Self.isForNobody) {
            self = .nobody
        } else if address.anyForm({ Self.isLocal($0) || isOwn($0) }) {
            self = .localClients
        } else {
            self = .everybody
        }
    }

    /// Link-local, and where clouds keep the metadata of a machine and its secrets.
    private static func isForNobody(_ address: IPAddress) -> Bool {
        guard let value = address.v4 else {
            return address.high >> 54 == 0xfe80 >> 6 || address.high == 0xfd00_0ec2_0000_0000 && address.low == 0x254
        }
        // 169.254.0.0/16, 100.100.100.200, 168.63.129.16, 192.0.0.192
        return value >> 16 == 0xa9fe || value == 0x6464_64c8 || value == 0xa83f_8110 || value == 0xc000_00c0
    }

    /// Loopback, and what the kernel takes for this machine.
    private static func isLocal(_ address: IPAddress) -> Bool {
        address.isLoopback || address.v4.map { $0 >> 24 == 0 } ?? address.isUnspecified
    }
}
