import PAC
import Testing

struct PACResultTests {
    private func read(_ text: String) -> PACResult {
        let bytes = Array(text.utf8)
        return PACResult(bytes.span)
    }

    // The grammar of Netscape's "Navigator Proxy Auto-Config File Format", with the words that browsers added.
    @Test(
        "R-3 each kind of item is read, in any case, with blanks, empty items and without its port",
        arguments: [
            ("DIRECT", [PACResult.Item.direct]),
            ("direct", [.direct]),
            (
                "PROXY w3proxy.netscape.com:8080; PROXY mozilla.netscape.com:8081",
                [
                    .proxy(.http, host: "w3proxy.netscape.com", port: 8080),
                    .proxy(.http, host: "mozilla.netscape.com", port: 8081),
                ]
            ),
            (
                "PROXY a:8080; SOCKS b:1081; DIRECT",
                [
                    .proxy(.http, host: "a", port: 8080), .proxy(.socks5, host: "b", port: 1081), .direct,
                ]
            ),
            ("PROXY a", [.proxy(.http, host: "a", port: 80)]),
            ("HTTP A.example:3128", [.proxy(.http, host: "a.example", port: 3128)]),
            ("HTTPS a", [.proxy(.https, host: "a", port: 443)]),
            ("SOCKS a", [.proxy(.socks5, host: "a", port: 1080)]),
            ("SOCKS5 a:9", [.proxy(.socks5, host: "a", port: 9)]),
            ("PROXY [2001:DB8::1]:8080", [.proxy(.http, host: "2001:db8::1", port: 8080)]),
            (" ; ;pRoXy\t a:1  ;;", [.proxy(.http, host: "a", port: 1)]),
            ("PROXY a:1;PROXY a:1", [.proxy(.http, host: "a", port: 1)]),
            ("", [.direct]), (" ; ", [.direct]), ("null", [.direct]), ("undefined", [.direct]),
        ]
    )
    func items(_ text: String, _ items: [PACResult.Item]) {
        #expect(read(text).items == items)
        #expect(read(text).passedOver == [])
    }

    @Test(
        "R-3 what can't be gone is passed over, the rest holds",
        arguments: [
            ("SOCKS4 a:1; PROXY b:2", [PACResult.Item.proxy(.http, host: "b", port: 2)], ["SOCKS4 a:1"]),
            (
                "PROXY; PROXY a:0; PROXY a:1 b; PROXY user@a:1; FTP a:1", [],
                [
                    "PROXY", "PROXY a:0", "PROXY a:1 b", "PROXY …@a:1", "FTP a:1",
                ]
            ),
            ("PROXY a:70000; DIRECT now; PROXY 1::2:80", [], ["PROXY a:70000", "DIRECT now", "PROXY 1::2:80"]),
            ("\u{1b}[2J", [], ["[2J"]),
        ]
    )
    func garbage(_ text: String, _ items: [PACResult.Item], _ passedOver: [String]) {
        #expect(read(text).items == items)
        #expect(read(text).passedOver == passedOver)
    }

    @Test("of a result without end only so many items are looked at")
    func long() {
        let text = (0..<1000).map { "PROXY a\($0):1" }.joined(separator: ";")
        #expect(read(text).items.count == PACResult.most)
    }

    @Test("S-5 a login in an item is not told, whatever is in it")
    func login() {
        for (item, told) in [
            ("PROXY alice:c4n4ry@h:1", "PROXY …@h:1"), ("PROXY a:c4n@4ry@h:1", "PROXY …@h:1"),
            ("PROXY a:c4n 4ry@h:1 x", "PROXY …@h:1 x"), ("http://a:c4n4ry@h:1", "…@h:1"), ("PROXY c4n4ry@", "PROXY …@"),
            ("PROXY a:c4n4ry%40h:1", "…"), ("PROXY a:c4n4ry%2540h:1", "…"),
        ] {
            #expect(read(item).passedOver == [told])
            let bytes = Array("DIRECT; \(item); PROXY h:2".utf8)
            #expect(PACResult.told(bytes.span) == "DIRECT; \(told); PROXY h:2")
        }
    }
}
