import Support
import Testing

@testable import countersign

/// `countersign demo`, whose ports are fixed: one test at a time.
@Suite(.serialized) struct DemoTests {
    private static let rows: [(request: String, demanded: String, answered: String)] = [
        ("http://127.0.0.1:8401/open", "nothing", "nothing"),
        ("http://127.0.0.1:8401/basic", "Basic", "Basic"),
        ("http://127.0.0.1:8401/digest", "Digest MD5", "Digest MD5"),
        ("http://127.0.0.1:8401/digest-sha256", "Digest SHA-256", "Digest SHA-256"),
        ("http://127.0.0.1:8401/both", "Digest SHA-256 or Basic", "Digest SHA-256"),
        ("http://parent.demo/", "Digest MD5 (parent proxy)", "Digest MD5"),
    ]

    @Test func `the embedded rules are those of conf`() throws {
        let file = try #require(contents(of: "\(Fixture.root)/conf/demo.yaml"))
        #expect(DemoRules.text == String(decoding: file, as: UTF8.self))
    }

    @Test func `once, it shows every demand answered and leaves no state behind`() throws {
        let home = try ScratchFolder("demo")
        let outcome = try Self.whenPortsAreFree {
            try Binary.run(["demo", "--once"], environment: ["HOME": home.path])
        }
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        try #require(lines.count == Self.rows.count + 1)
        for (line, row) in zip(lines.dropFirst(), Self.rows) {
            let cells = Self.cells(of: line)
            #expect(cells.prefix(4) == [row.request, row.demanded, row.answered, "200"])
            #expect(cells.last?.hasSuffix(" ms") == true)
        }
        #expect(contents(of: home(".local/state/countersign/ledger")) == nil)
    }

    @Test func `without once it serves until it is interrupted, and its ports can't be had twice`() throws {
        let demo = try Self.whenPortsAreFree { try Binary.start(["demo"]) }
        try eventually("the invitation:\n\(demo.output)\(demo.errors)", within: .seconds(20)) {
            demo.output.contains("try it: curl -x http://127.0.0.1:3128 http://127.0.0.1:8401/digest\n")
                || !demo.isRunning
        }
        let client = try HTTPClient(port: 3128)
        let url = "http://127.0.0.1:8401/digest"
        let response = try client.exchange("GET \(url) HTTP/1.1\r\nHost: 127.0.0.1:8401\r\n\r\n")
        #expect(response.status == 200)
        #expect(response.values("demo-answered") == ["Digest MD5"])

        let second = try Binary.run(["demo", "--once"])
        #expect(second.status == 1)
        #expect(second.output.isEmpty)
        #expect(second.errors == "countersign: demo: can't listen on 127.0.0.1:8401: Address already in use\n")

        demo.send(signal: 2)
        #expect(try demo.waitForExit() == .status(0))
    }

    @Test func `the origin refuses those it doesn't know, and shows nothing else`() throws {
        let demo = try Self.whenPortsAreFree { try Binary.start(["demo"]) }
        try eventually("the invitation", within: .seconds(20)) { demo.output.contains("try it:") || !demo.isRunning }
        let client = try HTTPClient(port: 8401)
        func status(_ path: String, _ field: String = "X: y") throws -> Int {
            Int(try client.exchange("GET \(path) HTTP/1.1\r\nHost: h\r\n\(field)\r\n\r\n").status)
        }
        #expect(try status("/open") == 200)
        #expect(try status("/basic") == 401)
        #expect(try status("/basic", "Authorization: Basic ZGVtbzpkZW1vLXBhc3N3b3Jk") == 200)
        #expect(try status("/basic", "Authorization: Basic ZGVtbzp3cm9uZw==") == 401)
        #expect(try status("/digest", "Authorization: Basic ZGVtbzpkZW1vLXBhc3N3b3Jk") == 401)
        #expect(try status("/nothing") == 404)
        #expect(demo.stop() == .status(0))
    }

    /// The cells of a row, which two blanks part.
    private static func cells(of line: String) -> [String] {
        line.split(separator: "  ").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.map(String.init)
    }

    /// Waits until no other test or program listens where the demo does, then runs `body`.
    private static func whenPortsAreFree<Result>(_ body: () throws -> Result) throws -> Result {
        for port in [3128, 8401, 8407] as [UInt16] {
            try eventually("port \(port) to be free", within: .seconds(20)) {
                (try? HTTPClient(port: port)) == nil
            }
        }
        return try body()
    }
}
