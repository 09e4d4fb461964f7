import Foundation
import Glibc
import Support
import Testing

/// The operators' page over a proxy with something to tell, in a real browser.
@Suite struct PageTests {
    /// What Tests/Fixtures/page/look.py tells.
    struct Visit: Decodable {
        struct Look: Decodable {
            let size: Int
            let scheme: String
            let width: Int
            let inner: Int
            let freshness: String
            let text: String
            let images: Int
            let ground: String
        }
        let looks: [Look]
        let moment: String
        let faults: [String]
        let requests: [String]
    }

    private static let realm = "<img src=x onerror=alert(1)>"
    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let visit = Result { try visited() }

    /// A proxy that has answered, was refused, judged a server and passed a parent over; then the page of it.
    private static func visited() throws -> (Visit, url: String) {
        let taking = try ScriptedPeer { request in
            let answered = request["Authorization"] != nil
            return answered ? [.response(body: "in")] : [.unauthorized("Basic realm=\"\(realm)\"")]
        }
        let refusing = try ScriptedPeer { _ in [.unauthorized(#"Basic realm="Wrong""#)] }
        let authority = try TestAuthority()
        let server = try Nginx(authority.leaf("page", names: "DNS:localhost"))
        let parent = try ScriptedPeer { _ in [.response(body: "parent")] }
        let admin = try FreePort.reserve()
        let rules = """
            admin: { address: "127.0.0.1:\(admin)" }
            credentials:
              staff: { username: alice, password: { file: secret } }
              stale: { username: bob, password: { file: secret } }
            rules:
              - { space: { host: 127.0.0.1, port: \(taking.port), realm: "\(realm)" }, use: staff }
              - { space: { host: 127.0.0.1, port: \(refusing.port) }, use: stale }
            trust:
              - { host: localhost, anchors: { file: \(authority.certificate) }, pins: ["\(pin)"] }
            proxies:
              dead: { url: "http://127.0.0.1:\(try FreePort.reserve())" }
              live: { url: "http://127.0.0.1:\(parent.port)" }
            routes: [{ host: [127.0.0.1, localhost], via: direct }, { host: "*", via: [dead, live] }]

            """
        let proxy = try RunningProxy(rules, workers: 2, files: ["secret": "c4n4ry"])
        for _ in 0..<3 { _ = try proxy.get("http://127.0.0.1:\(taking.port)/") }
        for _ in 0..<3 { _ = try proxy.get("http://127.0.0.1:\(refusing.port)/") }
        _ = try proxy.get("https://\(server.authority)/open/")
        _ = try proxy.get("http://origin.test/")
        // The first points of the history come ten seconds after the start.
        Thread.sleep(forTimeInterval: 11)
        let url = "http://127.0.0.1:\(admin)/"
        // For whoever wants to see the pictures.
        let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_PICTURES"].map { [$0] } ?? []
        let look = try TestProcess(HTTPBin.python(), [Fixture.path("page/look.py"), url] + folder)
        _ = try look.waitForExit(within: .seconds(180))
        guard let visit = try? JSONDecoder().decode(Visit.self, from: Data(look.outputBytes)) else {
            throw TestFailure("the visit: \(look.errors)\(look.output)\n\(proxy.log)")
        }
        return (visit, url)
    }

    @Test("O-2 the page tells what answered, what is withheld and how to release it, trust and parents, as text")
    func tells() throws {
        let (visit, _) = try Self.visit.get()
        let text = try #require(visit.looks.first).text
        for told in [
            "ready", "Withheld credentials", "stale", "countersign release stale", Self.realm, "confirmed",
            "pin.mismatch",
            "refused", "sha256/", "dead", "credential.withheld",
        ] {
            #expect(text.contains(told), "the page doesn't tell '\(told)':\n\(text)")
        }
        #expect(visit.looks.allSatisfy { $0.images == 0 && !$0.text.contains("c4n4ry") })
        #expect(visit.moment.contains("requests"))
    }

    @Test("O-2 the page is live, asks nobody but its own server, and meets no error")
    func keepsToItself() throws {
        let (visit, url) = try Self.visit.get()
        #expect(visit.looks.map(\.freshness) == Array(repeating: "live", count: 4))
        #expect(visit.faults == [])
        #expect(visit.requests == [url, "\(url)status.json"])
    }

    @Test("O-2 the page fits a phone, and is dark where that is asked for")
    func fits() throws {
        let (visit, _) = try Self.visit.get()
        #expect(visit.looks.map(\.size) == [1280, 1280, 360, 360])
        for look in visit.looks { #expect(look.width <= look.inner, "\(look.size) \(look.scheme)") }
        let grounds = Dictionary(grouping: visit.looks, by: \.scheme).mapValues { Set($0.map(\.ground)) }
        #expect(grounds["light"]?.count == 1 && grounds["dark"]?.count == 1 && grounds["light"] != grounds["dark"])
    }
}
