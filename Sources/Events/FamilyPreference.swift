internal import Bytes
internal import CEvent
internal import Glibc

/// Which family of a name's addresses goes first [RFC 6724 s.6].
///
/// Within a family the order stays as the name's owner has it.
enum FamilyPreference {
    /// Puts the family of the better first address before the other; both lists in one.
    static func join(v6: [IPAddress], v4: [IPAddress], _ source: (IPAddress) -> IPAddress?) -> [IPAddress] {
        guard let first6 = v6.first, let first4 = v4.first else { return v6 + v4 }
        let isBetter = prefersV6(first6, from: source(first6), to: first4, from: source(first4))
        return isBetter ? v6 + v4 : v4 + v6
    }

    private static func prefersV6(
        _ v6: IPAddress,
        from source6: IPAddress?,
        to v4: IPAddress,
        from source4: IPAddress?
    ) -> Bool {
        // Rule 1, and then 2, 5 and 6; the others compare what two families never share.
        guard let source6 else { return source4 == nil }
        guard let source4 else { return true }
        let scopes = (scope(v6) == scope(source6), scope(v4) == scope(source4))
        if scopes.0 != scopes.1 { return scopes.0 }
        let labels = (policy(v6).label == policy(source6).label, policy(v4).label == policy(source4).label)
        if labels.0 != labels.1 { return labels.0 }
        return policy(v6).precedence >= policy(v4).precedence
    }

    private enum Scope { case link, global }

    /// The scope of a unicast address [RFC 6724 s.3.1, s.3.2].
    private static func scope(_ address: IPAddress) -> Scope {
        if address.isLoopback { return .link }
        if let value = address.v4 { return value >> 16 == 0xa9fe ? .link : .global }
        return address.high >> 54 == 0xfe80 >> 6 ? .link : .global
    }

    /// The default policy table [RFC 6724 s.2.1].
    private static func policy(_ address: IPAddress) -> (precedence: Int, label: Int) {
        if address.unmapped.family == .v4 { return (35, 4) }
        if address.high == 0 { return address.low == 1 ? (50, 0) : address.low >> 32 == 0 ? (1, 3) : (40, 1) }
        if address.high >> 48 == 0x2002 { return (30, 2) }
        if address.high >> 32 == 0x2001_0000 { return (5, 5) }
        if address.high >> 57 == 0xfc >> 1 { return (3, 13) }
        if address.high >> 54 == 0xfec0 >> 6 { return (1, 11) }
        if address.high >> 48 == 0x3ffe { return (1, 12) }
        return (40, 1)
    }

    /// The address that the kernel would connect from; nil where there is no way. Nothing is sent.
    static func source(to address: IPAddress) -> IPAddress? {
        let place = SocketAddress(address, port: 53)
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(place.family, type, 0)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        let rawValue = descriptor.rawValue
        guard unsafe place.withKernelForm({ unsafe connect(rawValue, $0, $1) }) == 0 else { return nil }
        return unsafe SocketAddress.read { unsafe getsockname(rawValue, $0, $1) }?.address
    }
}
