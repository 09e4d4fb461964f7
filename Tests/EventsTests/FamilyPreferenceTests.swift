import Bytes
import Testing

@testable import Events

@Suite struct FamilyPreferenceTests {
    private func address(_ text: String) -> IPAddress { IPAddress(text) ?? .loopbackV4 }

    /// Whether IPv6 goes first, from and to these addresses; an empty source is none.
    @Test(
        "H-11 the family that RFC 6724 prefers goes first",
        arguments: [
            // Its examples [RFC 6724 s.10.1, s.10.2], and where one family has no way at all.
            ("2001:db8:1::1", "2001:db8:1::2", "198.51.100.121", "198.51.100.117", true),
            ("2001:db8:1::1", "fe80::2", "198.51.100.121", "198.51.100.117", false),
            ("2001:db8:1::1", "2001:db8:1::2", "198.51.100.121", "169.254.13.78", true),
            ("2001:db8:1::1", "2002:c633:6401::2", "198.51.100.121", "198.51.100.117", false),
            ("2001:db8:1::1", "", "198.51.100.121", "198.51.100.117", false),
            ("2001:db8:1::1", "2001:db8:1::2", "198.51.100.121", "", true),
            ("fd00::1", "fd00::2", "198.51.100.121", "198.51.100.117", false),
            ("::1", "::1", "127.0.0.1", "127.0.0.1", true),
        ]
    )
    func order(v6: String, source6: String, v4: String, source4: String, isV6First: Bool) {
        let sources = [address(v6): source6, address(v4): source4]
        let joined = FamilyPreference.join(v6: [address(v6)], v4: [address(v4)]) {
            sources[$0].flatMap { IPAddress($0) }
        }
        #expect(joined.first == address(isV6First ? v6 : v4))
        #expect(joined.count == 2)
    }
}
