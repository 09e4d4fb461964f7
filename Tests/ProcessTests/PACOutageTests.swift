import Support
import Testing

/// PAC files at URLs that don't answer.
@Suite struct PACOutageTests {
    @Test(
        "R-3 a PAC file that hangs or drips ends no process, and its route's other way holds",
        arguments: [false, true]
    )
    func hangs(_ drips: Bool) throws {
        let origin = try ScriptedPeer { _ in [.response(body: "origin")] }
        let drops = Array(repeating: [ScriptedPeer.Step.send("x"), .pause(.milliseconds(300))], count: 60).flatMap {
            $0
        }
        let server = try ScriptedPeer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n")] + (drips ? drops : [.hang])
        }
        let proxy = try RunningProxy(
            "routes: [{ pac: { url: \"\(server.url)/proxy.pac\" }, via: direct }]\n",
            workers: 1
        )
        // The first waits for the file, up to its limit.
        #expect(try proxy.get("\(origin.url)/").text == "origin")
        try proxy.waitForLog("it didn't answer in time", within: .seconds(20))
        #expect(try proxy.get("\(origin.url)/").text == "origin")
        server.resetConnections()
        #expect(try proxy.get("\(origin.url)/").text == "origin")
        #expect(proxy.process.isRunning)
    }
}
