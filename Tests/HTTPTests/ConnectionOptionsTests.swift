import Testing

@testable import HTTP

@Suite struct ConnectionOptionsTests {
    @Test("H-3 what Connection nominates is told, over all its lines")
    func nominated() {
        let fields = FieldsTests.fields([
            ("Connection", "close, TE"), ("X", "y"), ("connection", "X-Hop,upgrade"), ("Upgrade", "websocket"),
        ])
        let options = ConnectionOptions(fields)
        #expect(options.closes && !options.keepsAlive)
        #expect(options.nominated == [.te, .upgrade])
        #expect(options.nominatesOthers)
        #expect(ConnectionOptions.nominates(fields, Array("x-hop".utf8).span) == true)
        #expect(ConnectionOptions.nominates(fields, Array("x".utf8).span) == false)
        #expect(ConnectionOptions.closes(fields))
    }

    @Test("without Connection nothing is said")
    func none() {
        let fields = FieldsTests.fields([("X", "close")])
        #expect(ConnectionOptions(fields) == ConnectionOptions(Fields()))
        #expect(!ConnectionOptions.closes(fields) && !ConnectionOptions.keepsAlive(fields))
    }

    @Test(
        "H-6 a connection persists by version and options",
        arguments: [
            ("x", HTTPVersion.http11, true), ("x", .http10, false), ("keep-alive", .http10, true),
            ("close", .http11, false),
            ("keep-alive, close", .http10, false), ("keep-alive", .http11, true),
        ]
    )
    func persistence(_ value: String, _ version: HTTPVersion, _ persists: Bool) {
        #expect(FieldsTests.fields([("Connection", value)]).keepsConnection(version) == persists)
        #expect(Fields().keepsConnection(version) == (version == .http11))
    }
}
