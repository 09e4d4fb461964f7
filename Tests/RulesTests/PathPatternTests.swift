import Rules
import Testing

@Suite("Paths")
struct PathPatternTests {
    private func matches(_ pattern: PathPattern, _ path: String) -> Bool {
        pattern.matches(Array(path.utf8).span)
    }

    private func isUnambiguous(_ path: String) -> Bool {
        RequestPath.isUnambiguous(Array(path.utf8).span)
    }

    @Test(
        "A-27 a path is compared on segment borders, with case, after decoding unreserved characters",
        arguments: [
            (
                "/private/", ["/private/", "/private/x", "/private/x/y?q=//"],
                ["/private", "/", "/Private/x", "/privatex"]
            ),
            ("/private", ["/private", "/private/", "/private/x", "/private?x=1"], ["/privatex", "/priv", "", "*"]),
            ("/", ["/", "/x", "/x/y"], ["", "*"]),
            ("/a~b", ["/a~b", "/a%7Eb", "/a%7eb/c", "/%61~b"], ["/A~b", "/a%7fb"]),
            ("/%61bc", ["/abc"], ["/ABC"]),
            ("/caf%c3%a9", ["/caf%C3%A9", "/caf%c3%a9/x", "/café"], ["/cafe", "/caf%C3"]),
            ("/café", ["/caf%C3%A9"], ["/caf"]),
            ("/a!b", ["/a!b"], ["/a%21b"]),
            ("/a%20b", ["/a%20b"], ["/a+b"]),
            ("/...", ["/...", "/.../x"], ["/.."]),
        ]
    )
    func comparison(text: String, inside: [String], outside: [String]) throws {
        let pattern = try PathPattern(text)
        for path in inside {
            #expect(matches(pattern, path), "\(path) should lie in \(text)")
        }
        for path in outside {
            #expect(!matches(pattern, path), "\(path) should not lie in \(text)")
        }
    }

    @Test(
        "A-27 a path that servers read differently is ambiguous",
        arguments: [
            "/.", "/..", "/a/../b", "/a/./b", "/%2e", "/%2E%2e/x", "/.%2e/x", "/a/%2e./b", "/..;/x", "/..;a=b/x",
            "/%2e%2e%3bx/y",
            "/%252e%252e/x", "/%25252e./x", "//", "/a//b", "//a", "/a/%2Fb", "/%2f", "/a%5Cb", "/%5c", "/a\\b",
            "/a\u{1}b", "/a%00b",
            "/a%1Fb", "/a%7fb", "/a\u{7F}", "/a b", "/a%", "/a%2", "/a%zz", "/a/..?x",
        ]
    )
    func ambiguity(path: String) {
        #expect(!isUnambiguous(path))
    }

    @Test(
        "A-27 what all servers read alike is not ambiguous, and a query is not looked at",
        arguments: [
            "", "*", "/", "/a", "/a/", "/a/b.c", "/a..b", "/...", "/a/.../b", "/.well-known/x", "/..a", "/a;b/c",
            "/%41", "/a%20b", "/%C3%A9", "/a?b=//../%2F\\", "/%252Fx", "/a%25", "/%2e%2e%2e", "/;/x", "/x;..",
        ]
    )
    func unambiguity(path: String) {
        #expect(isUnambiguous(path))
    }

    @Test(
        "a path that could never match, or is none, is refused",
        arguments: [
            ("", .relative), ("private", .relative), ("/a?b", .query), ("/a#b", .query), ("/a/../b", .ambiguous),
            ("//", .ambiguous), ("/a%2Fb", .ambiguous), ("/a\\b", .ambiguous), ("/a b", .ambiguous),
        ] as [(String, PathPatternError)]
    )
    func refusal(text: String, error: PathPatternError) {
        #expect(throws: error) { try PathPattern(text) }
        #expect(!error.message.isEmpty)
    }

    @Test(
        "one path covers another when nothing is left over",
        arguments: [
            ("/", "/a", true), ("/a", "/a/b", true), ("/a", "/ab", false), ("/a/", "/a", false), ("/a", "/a/", true),
        ]
    )
    func covering(outer: String, inner: String, covers: Bool) throws {
        #expect(try PathPattern(outer).covers(PathPattern(inner)) == covers)
    }
}
