import Support
import Testing

/// Requests that began before a reload and are challenged after it.
@Suite struct ReloadUnderWayTests {
    /// Basic for `user` and each of these passwords (RFC 7617 section 2).
    private static let basic = [
        "old": "Basic dXNlcjpvbGQ=", "newA": "Basic dXNlcjpuZXdB", "newB": "Basic dXNlcjpuZXdC",
        "right": "Basic dXNlcjpyaWdodA==",
    ]

    @Test(
        "S-4 a request under way ends with the rules and the secret that it began with",
        arguments: ["", "A", "AB"],
        [401, 407]
    )
    func reloaded(_ changes: String, _ status: Int) throws {
        let demand = Demand(scheme: "Basic", status: status)
        let gate = Gate()
        let values = Locked<[String]>([])
        let peer = try ScriptedPeer { request in
            guard let value = request[demand.field] else {
                return request.target.hasSuffix("/slow") ? [.wait(gate), demand.refusal] : [demand.refusal]
            }
            values.withLock { $0.append(value) }
            return [.response(body: "in")]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: ["secret": "old"])
        let client = try proxy.connect()
        try client.send(request("GET \(demand.url(of: peer, path: "/slow")) HTTP/1.1", ["Host: h"]))
        try peer.waitForRequests(1)
        for change in changes {
            try proxy.folder.write("new\(change)", to: "secret", mode: 0o600)
            proxy.reload()
            // That it took effect shows by the value of a request that begins now.
            try eventually("the new secret to be used") {
                _ = try proxy.get(demand.url(of: peer, path: "/\(change)/x"))
                return values.withLock { $0.last } == Self.basic["new\(change)"]
            }
        }
        gate.opens()
        #expect(try client.receive().status == 200)
        #expect(values.withLock { $0.last } == Self.basic["old"])
        // And what it learned is of no use to those that begin now.
        let last = changes.last.map { "new\($0)" } ?? "old"
        for _ in 0..<8 { #expect(try proxy.get(demand.url(of: peer, path: "/y")).status == 200) }
        let late = values.withLock { $0.suffix(8).map(Optional.some) }
        #expect(Set(late) == [Self.basic[last]])
    }

    @Test("A-7 a verdict on the secret that a request began with is not one on the secret of now")
    func verdict() throws {
        let demand = Demand(scheme: "Basic", status: 401)
        let gate = Gate()
        let right = Self.basic["right"]
        let peer = try ScriptedPeer { request in
            if request["Authorization"] == right { return [.response(body: "in")] }
            let isSlow = request.target == "/slow" && request["Authorization"] == nil
            return isSlow ? [.wait(gate), demand.refusal] : [demand.refusal]
        }
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "wrong"])
        let client = try proxy.connect()
        try client.send(request("GET \(peer.url)/slow HTTP/1.1", ["Host: h"]))
        try peer.waitForRequests(1)
        try proxy.folder.write("right", to: "secret", mode: 0o600)
        proxy.reload()
        try eventually("the new secret to be used") { try proxy.get("\(peer.url)/a/x").status == 200 }
        let wrong = { peer.requests.count { $0["Authorization"] != nil && $0["Authorization"] != right } }
        let before = wrong()
        gate.opens()
        #expect(try client.receive().status == 401)
        #expect(wrong() <= max(1, before))
        #expect(try proxy.get("\(peer.url)/b/x").status == 200)
    }

    @Test("A-7 a head that comes in parts over a reload is served, and judged, by the new rules")
    func headInParts() throws {
        let demand = Demand(scheme: "Basic", status: 401)
        let peer = try demand.takingPeer()
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 1, files: ["secret": "old"])
        let client = try proxy.connect()
        try client.send("GET \(peer.url)/ HTTP/1.1\r\nHost: h\r\n")
        try proxy.folder.write("newA", to: "secret", mode: 0o600)
        try proxy.rewrite(demand.rules(for: peer) + "\naccess: { clients: [127.0.0.2] }")
        proxy.reload()
        try eventually("the reload to take effect") { try proxy.get("\(peer.url)/").status == 403 }
        try proxy.rewrite(demand.rules(for: peer))
        proxy.reload()
        try eventually("the second reload to take effect") { try proxy.get("http://127.0.0.1:1/").status != 403 }
        try client.send("\r\n")
        #expect(try client.receive().status == 200)
        #expect(peer.requests.last?["Authorization"] == Self.basic["newA"])
        let listed = try Binary.run(["credentials", "--config", proxy.folder("countersign.yaml")])
        #expect(listed.output.contains("staff: confirmed\n"), "\(listed.output)")
    }
}
