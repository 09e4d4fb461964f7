import Support
import Testing

/// `countersign status`, from outside.
@Suite struct StatusCommandTests {
    @Test("status is 0 and tells the process where one takes requests, else 1; --ready says nothing")
    func running() throws {
        let proxy = try RunningProxy("")
        let file = proxy.folder("countersign.yaml")
        let told = try Binary.run(["status", "--config", file])
        #expect(told.status == 0, "\(told.output)\(told.errors)")
        #expect(told.output.hasPrefix("process \(proxy.process.pid)\n"))
        let ready = try Binary.run(["status", "--ready", "--config", file])
        #expect(ready.status == 0 && ready.output.isEmpty && ready.errors.isEmpty)
        proxy.stop()
        let gone = try Binary.run(["status", "--config", file])
        #expect(gone.status == 1 && gone.output.isEmpty && gone.errors.split(separator: "\n").count == 1)
        let unready = try Binary.run(["status", "--ready", "--config", file])
        #expect(unready.status == 1 && unready.output.isEmpty && unready.errors.isEmpty)
    }

    @Test("a draining process isn't ready")
    func draining() throws {
        let entered = Gate()
        let gate = Gate()
        let peer = try ScriptedPeer { _ in
            entered.opens()
            return [.wait(gate), .response(body: "late")]
        }
        let proxy = try RunningProxy("timeouts: { drain: 20s }\n")
        let file = proxy.folder("countersign.yaml")
        let client = try proxy.connect()
        let head = "GET http://127.0.0.1:\(peer.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(peer.port)\r\n\r\n"
        try client.send(head)
        try entered.wait(within: .seconds(10))
        proxy.process.send(signal: 15)
        try eventually("status to be 1", within: .seconds(10)) {
            try Binary.run(["status", "--ready", "--config", file]).status == 1
        }
        gate.opens()
    }
}
