import Testing

@testable import Exchange

@Suite struct CrossSiteTests {
    private static let navigation = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]

    private static let cases: [(String, [String], Bool)] = [
        ("GET", [], false), ("GET", ["Sec-Fetch-Site: cross-site"], true),
        ("GET", ["Sec-Fetch-Site: same-site"], false), ("GET", ["Sec-Fetch-Site: none"], false),
        ("GET", ["Sec-Fetch-Site: same-origin", "Origin: http://b.test"], false),
        ("GET", ["Sec-Fetch-Site: cross-site"] + navigation, false),
        ("HEAD", ["Sec-Fetch-Site: cross-site"] + navigation, false),
        ("POST", ["Sec-Fetch-Site: cross-site"] + navigation, true),
        ("GET", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], true),
        ("GET", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: document"], true),
        ("POST", ["Origin: http://a.test"], false), ("POST", ["Origin: https://A.test:8443"], false),
        ("POST", ["Origin: http://b.test"], true), ("POST", ["Origin: null"], true),
        ("GET", ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], true),
        ("GET", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin"], true),
        ("GET", ["Sec-Fetch-Site: same-origin, cross-site"], true),
        ("GET", ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"], false),
        ("POST", ["Origin: http://a.test", "Origin: http://b.test"], true),
        ("POST", ["Origin: http://a.test", "Origin: http://a.test"], false),
        ("GET", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"] + navigation, true),
        (
            "GET", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document", "Sec-Fetch-Dest: iframe"] + navigation,
            true
        ),
    ]

    @Test("A-15 a request is cross-site as its browser marks it, but for a navigation that reads", arguments: cases)
    func judged(_ method: String, _ lines: [String], _ expected: Bool) {
        #expect(
            CrossSite.judge(requestHead("\(method) http://a.test/ HTTP/1.1", ["Host: a.test"] + lines), host: "a.test")
                == expected
        )
    }
}
