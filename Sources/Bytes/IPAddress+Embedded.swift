extension IPAddress {
    /// Whether `test` holds for the address, or for an IPv4 address that packets to it may end up at: IPv4-mapped and
    /// IPv4-compatible [RFC 4291 s.2.5.5], translated [RFC 2765], 6to4 [RFC 3056], NAT64 [RFC 6052, RFC 8215] and Teredo [RFC 4380].
    package func anyForm(_ test: (IPAddress) -> Bool) -> Bool {
        if test(self) { return true }
        guard family == .v6 else { return false }
        let last = UInt32(truncatingIfNeeded: low)
        if high == 0 {
            // :: and ::1 are addresses of their own.
            let isEmbedding = low >> 32 == 0xffff || low >> 32 == 0xffff_0000 || low >> 32 == 0 && low > 1
            return isEmbedding && test(IPAddress(v4: last))
        }
        if high >> 48 == 0x2002 { return test(IPAddress(v4: UInt32(truncatingIfNeeded: high >> 16))) }
        if high >> 32 == 0x2001_0000 {
            return test(IPAddress(v4: ~last)) || test(IPAddress(v4: UInt32(truncatingIfNeeded: high)))
        }
        if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return test(IPAddress(v4: last)) }
        guard high >> 16 == 0x0064_ff9b_0001 else { return false }
        // Where the address stands depends on the length of the operator's prefix: 48, 56, 64 or 96 bits.
        let first = UInt32(truncatingIfNeeded: high)
        return test(IPAddress(v4: last)) || test(IPAddress(v4: UInt32(truncatingIfNeeded: low >> 24)))
            || test(IPAddress(v4: (first & 0xffff) << 16 | UInt32(truncatingIfNeeded: low >> 40 & 0xffff)))
            || test(IPAddress(v4: (first & 0xff) << 24 | UInt32(truncatingIfNeeded: low >> 32 & 0xff_ffff)))
    }
}
