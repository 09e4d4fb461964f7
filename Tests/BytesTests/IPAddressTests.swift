import Testing

@testable import Bytes

@Suite struct IPAddressTests {
    @Test(
        "addresses are read and written in their one form",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0db8:0000:0000:0000:0000:0002:0001", "2001:db8::2:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("0:0:0:0:0:0:7:0", "::7:0"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("::ffff:c000:201", "::ffff:192.0.2.1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ]
    )
    func form(_ text: String, _ written: String) {
        #expect(IPAddress(text)?.description == written)
    }

    @Test(
        "what is no address, or one only for inet_aton, is refused",
        arguments: [
            "", "1", "127.1", "127.0.1", "0x7f000001", "0177.0.0.1", "127.0.0.01", "256.0.0.1", "1.2.3.4.5", "1.2.3.",
            ".1.2.3.4", "1..2.3", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4", "a.b.c.d", "1.2.3.0400", ":", ":::",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9", "1::2::3", "::1:2:3:4:5:6:7:8", "12345::", "g::", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7:8",
            "[::1]", "fe80::1%eth0", "::1.2.3", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::ffff:127.0.0.01",
        ]
    )
    func refused(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("loopback and unspecified addresses are known in all their forms")
    func kinds() {
        for text in ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"] {
            #expect(IPAddress(text)?.isLoopback == true)
        }
        for text in ["128.0.0.1", "126.0.0.1", "::2", "::", "::ffff:126.0.0.1", "::127.0.0.1"] {
            #expect(IPAddress(text)?.isLoopback == false)
        }
        for text in ["0.0.0.0", "::", "::ffff:0.0.0.0"] { #expect(IPAddress(text)?.isUnspecified == true) }
        for text in ["0.0.0.1", "::1", "::ffff:0.0.0.1"] { #expect(IPAddress(text)?.isUnspecified == false) }
        #expect(IPAddress("127.0.0.1") == .loopbackV4)
        #expect(IPAddress("::1") == .loopbackV6)
    }

    @Test("a mapped address holds an IPv4 address and is not equal to it")
    func mapped() {
        let mapped = IPAddress("::ffff:10.1.2.3")
        #expect(mapped?.unmapped == IPAddress("10.1.2.3"))
        #expect(mapped != IPAddress("10.1.2.3"))
        #expect(IPAddress("10.1.2.3")?.v4 == 0x0a01_0203)
        #expect(IPAddress("2001:db8::1")?.unmapped == IPAddress("2001:db8::1"))
    }
}
