import Bytes
import Testing

@testable import HTTP

@Suite struct RequestTargetTests {
    /// The parts of a target as text, `-` for what it lacks.
    static func parts(_ text: String, _ method: HTTPMethod = .get) -> String? {
        let bytes = Array("GET \(text)".utf8)
        guard let target = RequestTarget.parse(bytes.span, in: 4..<bytes.count, method: method) else { return nil }
        func part(_ range: Range<Int>?) -> String { range.map { String(bytes.span.extracting($0)) } ?? "-" }
        let port = target.port.map(String.init) ?? "-"
        let scheme = target.scheme?.text ?? "-"
        return "\(target.form) \(scheme) \(part(target.userinfo)) \(part(target.host)) \(port) \(part(target.path)) "
            + part(target.query)
    }

    @Test(
        "H-1 the four forms are told apart and taken apart",
        arguments: [
            ("/a/b?c=d", HTTPMethod.get, "origin - -  - /a/b?c=d c=d"),
            ("//a", .get, "origin - -  - //a -"),
            ("http://h", .get, "absolute http - h -  -"),
            ("http://h/", .get, "absolute http - h - / -"),
            ("HTTP://H:8080/a", .post, "absolute http - H 8080 /a -"),
            ("https://h:443?x?y", .get, "absolute https - h 443 ?x?y x?y"),
            ("http://h:/", .get, "absolute http - h - / -"),
            ("http://[2001:db8::1]:80/", .get, "absolute http - 2001:db8::1 80 / -"),
            ("http://h/a@b:c?d@e", .get, "absolute http - h - /a@b:c?d@e d@e"),
            ("http://h/%zz\\^`{|}\"<>", .get, "absolute http - h - /%zz\\^`{|}\"<> -"),
            ("ftp://h/a", .get, "absolute - -  -  -"),
            ("urn:a:b", .get, "absolute - -  -  -"),
            ("h:443", .connect, "authority - - h 443  -"),
            ("[::1]:443", .connect, "authority - - ::1 443  -"),
            ("*", .options, "asterisk - -  -  -"),
        ]
    )
    func forms(_ text: String, _ method: HTTPMethod, _ parts: String) {
        #expect(Self.parts(text, method) == parts)
    }

    @Test("H-1b userinfo is told and is no part of the authority")
    func userinfo() {
        #expect(Self.parts("http://user:pa%20ss@h:1/") == "absolute http user:pa%20ss h 1 / -")
        #expect(Self.parts("http://@h/") == "absolute http  h - / -")
        #expect(Self.parts("http://u:@h/") == "absolute http u: h - / -")
        let bytes = Array("http://u@h:1/".utf8)
        let target = RequestTarget.parse(bytes.span, in: 0..<bytes.count, method: .get)
        #expect(target.map { String(bytes.span.extracting($0.authority)) } == "h:1")
    }

    @Test(
        "H-4 what is no target is refused",
        arguments: [
            "", "a", "a/b", "http", "http:", "http:/", "http://", "http://?a", "http:///a", "http://:80/", "http:h",
            "https:/h/", "ht tp://h/", "http://h/a b", "http://h/\t", "http://h/#", "#", "/a#b", "ä", "/\u{7f}", "h:80",
            "1http://h/", ":a", "http://u@v@h/", "http://u<@h/", "http://h@/", "http://h:80:80/", "http://h:+80/", "*",
            "**",
        ]
    )
    func refused(_ text: String) {
        #expect(Self.parts(text) == nil)
    }

    @Test(
        "H-4 CONNECT takes a host and a port alone",
        arguments: ["h", "h:", "h:0", "/h:1", "http://h:1", "u@h:1", "*", "h:1/"]
    )
    func connect(_ text: String) {
        #expect(Self.parts(text, .connect) == nil)
    }

    @Test("a path without its query")
    func pathOnly() {
        for (text, path) in [("/a?b?c", "/a"), ("/a", "/a"), ("http://h?b", ""), ("/?", "/")] {
            let bytes = Array(text.utf8)
            let target = RequestTarget.parse(bytes.span, in: 0..<bytes.count, method: .get)
            #expect(target.map { String(bytes.span.extracting($0.pathOnly)) } == path)
        }
    }
}
