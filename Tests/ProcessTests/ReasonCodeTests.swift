import Foundation
import Support
import Testing

/// The page of reason codes, held against the sources; and one code in all places.
@Suite struct ReasonCodeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Literals of that form that are no codes.
    private static let others: Set<String> = ["krb5.conf", "example.com", "demo.yaml", "status.json"]

    private static func sources() throws -> [String] {
        let folder = root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }

    /// The codes of string literals, and those that the kinds of malformed messages make.
    private static func codesOfSources() throws -> Set<String> {
        let code = /"([a-z][a-z0-9]*(?:-[a-z0-9]+)*\.[a-z][a-z0-9]*(?:-[a-z0-9]+)*)"/
        var codes: Set<String> = ["socks.reply-N"]
        for text in try sources() { codes.formUnion(text.matches(of: code).map { String($0.1) }) }
        let parsing = try String(
            contentsOf: root.appendingPathComponent("Sources/HTTP/ParseError.swift"),
            encoding: .utf8
        )
        for match in parsing.matches(of: /case \.[A-Za-z0-9]+: "([a-z0-9-]+)"/) {
            codes.formUnion(["request.\(match.1)", "response.\(match.1)"])
        }
        return codes.subtracting(others)
    }

    private static func codesOfPage() throws -> [String] {
        let page = root.appendingPathComponent("Sources/Proxy/Proxy.docc/ReasonCodes.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
            .flatMap { row in row.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) } }
    }

    @Test("O-9 the page of reason codes has each code of the sources, and no other")
    func page() throws {
        let written = try Self.codesOfPage()
        let made = try Self.codesOfSources()
        #expect(made.subtracting(written).sorted() == [], "missing on the page")
        #expect(Set(written).subtracting(made).sorted() == [], "unknown to the sources")
        #expect(written.count == Set(written).count, "some stand there twice")
    }

    @Test("O-9 a failure's code is the same in Proxy-Status, in the body and in the log")
    func places() throws {
        let proxy = try RunningProxy("")
        let response = try proxy.get("http://127.0.0.1:\(try FreePort.reserve())/")
        #expect(response["Proxy-Status"]?.contains("details=\"route.unreachable: ") == true)
        #expect(response.text.contains("(route.unreachable)"))
        try proxy.waitForLog("reason=route.unreachable")
    }
}
