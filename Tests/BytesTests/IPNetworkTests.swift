import Testing

@testable import Bytes

@Suite struct IPNetworkTests {
    @Test(
        "a network holds the addresses of its prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "203.0.113.1", true),
            ("0.0.0.0/0", "2001:db8::1", false), ("192.0.2.1/32", "192.0.2.1", true),
            ("192.0.2.1/32", "192.0.2.0", false),
            ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.200", true),
            ("192.0.2.1", "192.0.2.1", true),
            ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false), ("::/0", "::1", true),
            ("fe80::/10", "febf::1", true), ("fe80::/10", "fec0::1", false),
            ("2001:db8::/64", "2001:db8::ffff:0:0:1", true),
            ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("::1/128", "::1", true), ("::1/128", "::2", false),
            ("::ffff:10.77.0.0/120", "10.77.0.2", true), ("::ffff:10.77.0.0/120", "::ffff:10.77.0.2", true),
            ("::ffff:10.77.0.0/120", "10.77.1.2", false), ("::ffff:10.77.0.2", "10.77.0.2", true),
            ("::/0", "::ffff:10.77.0.2", true), ("::ffff:0:0/95", "10.77.0.2", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("10.0.0.0/8", "::ffff:11.1.2.3", false),
        ]
    )
    func contains(_ network: String, _ address: String, _ isInside: Bool) throws {
        let network = try #require(IPNetwork(network))
        let address = try #require(IPAddress(address))
        #expect(network.contains(address) == isInside)
    }

    @Test(
        "what is no network is refused",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10/8", "::/129", "::/0128", "a/8",
        ]
    )
    func refused(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test("bits behind the prefix are told apart and dropped")
    func exactness() {
        #expect(IPNetwork("10.1.2.3/8")?.description == "10.0.0.0/8")
        #expect(!IPNetwork.isExact("10.1.2.3/8"))
        #expect(IPNetwork.isExact("10.0.0.0/8"))
        #expect(IPNetwork.isExact("10.1.2.3"))
        #expect(IPNetwork("2001:db8::1/33")?.description == "2001:db8::/33")
    }
}
