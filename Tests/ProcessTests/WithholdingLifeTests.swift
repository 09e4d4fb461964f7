import Glibc
import Support
import Testing

/// How long a credential that was refused is withheld.
@Suite struct WithholdingLifeTests {
    private func refused(
        _ demand: Demand,
        files: [String: String] = ["secret": "wrong"]
    ) throws
        -> (peer: ScriptedPeer, proxy: RunningProxy)
    {
        let peer = try demand.refusingPeer()
        let proxy = try RunningProxy(demand.rules(for: peer), workers: 2, files: files)
        _ = try proxy.get(demand.url(of: peer))
        #expect(demand.attempts(at: peer) == 1)
        return (peer, proxy)
    }

    @Test("A-7b a restart doesn't end the withholding", arguments: Demand.all)
    func restart(_ demand: Demand) throws {
        let (peer, first) = try refused(demand)
        #expect(first.stop() == .status(0))
        let second = try RunningProxy(demand.rules(for: peer), workers: 2, folder: first.folder)
        let response = try second.get(demand.url(of: peer))
        #expect(demand.attempts(at: peer) == 1)
        #expect(reason(of: response) == "credential.withheld")
    }

    @Test("A-7b what a client was told of, another process knows", arguments: Demand.all)
    func otherProcess(_ demand: Demand) throws {
        let peer = try demand.refusingPeer()
        let state = try ScratchFolder("state")
        let rules = """
            version: 1
            listeners: [{ address: "127.0.0.1:$PORT" }]
            state: "\(state("state"))"

            """
        let proxies = try (0..<2).map { _ in
            try RunningProxy(rules + demand.rules(for: peer), workers: 2, files: ["secret": "wrong"])
        }
        for proxy in proxies { _ = try proxy.get(demand.url(of: peer)) }
        #expect(demand.attempts(at: peer) == 1)
        #expect(try reason(of: proxies[1].get(demand.url(of: peer))) == "credential.withheld")
    }

    @Test("A-7b what a client was told of, a process that is killed right then has written", arguments: Demand.all)
    func killed(_ demand: Demand) throws {
        let (peer, first) = try refused(demand)
        first.process.send(signal: SIGKILL)
        #expect(try first.process.waitForExit() == .signal(SIGKILL))
        let second = try RunningProxy(demand.rules(for: peer), workers: 2, folder: first.folder)
        #expect(try reason(of: second.get(demand.url(of: peer))) == "credential.withheld")
        #expect(demand.attempts(at: peer) == 1)
    }

    @Test("A-7b before a rejection is written no other offer is answered, nobody else goes, and no client is told")
    func unwritten() throws {
        let refusal = ScriptedPeer.Step.unauthorized(#"Basic realm="one""#, #"Digest realm="two", nonce="n""#)
        let peer = try ScriptedPeer { request in
            if request["Authorization"]?.hasPrefix("Basic ") == true { return [.response(body: "in")] }
            return request.target == "/ready/" ? [.unauthorized(#"Basic realm="one""#)] : [refusal]
        }
        let other = try ScriptedPeer { _ in [refusal] }
        let proxy = try RunningProxy(
            """
            credentials:
              first: { username: user, password: { value: wrong } }
              second: { username: user, password: { value: right } }
            rules:
              - { space: { host: 127.0.0.1, port: any, realm: two }, use: first }
              - { space: { host: 127.0.0.1, port: any, realm: one }, use: second }
            """,
            workers: 2
        )
        // The second is confirmed, so that nothing but the first's rejection stands in its way.
        #expect(try proxy.get("\(peer.url)/ready/").status == 200)
        try eventually("that to be written") { proxy.folder.text(of: "state/ledger").contains("confirmed") }
        peer.forget()
        let lock = try FileLock(proxy.folder("state/ledger.lock"))
        let client = try proxy.connect()
        try client.send(request("GET \(peer.url)/ HTTP/1.1", ["Host: h"]))
        try eventually("the wrong one") { peer.requests.contains { $0["Authorization"] != nil } }
        let elsewhere = try proxy.connect()
        try elsewhere.send(request("GET \(other.url)/ HTTP/1.1", ["Host: h"]))
        try other.waitForRequests(1)
        #expect(try client.isSilent(for: .milliseconds(700)))
        #expect(peer.requests.count == 2 && other.requests.count == 1)
        lock.release()
        #expect(try client.receive().body.text == "in")
        #expect(try elsewhere.receive().status == 401)
    }

    @Test("A-7b a refusal that ends with its connection is passed on whole in the end", arguments: ["", "who?"])
    func untilClose(_ body: String) throws {
        let peer = try ScriptedPeer { request in
            guard request["Authorization"] != nil else { return [.unauthorized(#"Basic realm="Staff""#)] }
            return [.send("HTTP/1.0 401 No\r\nWWW-Authenticate: Basic realm=\"Staff\"\r\n\r\n\(body)"), .close]
        }
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "wrong"])
        let lock = try FileLock(proxy.folder("state/ledger.lock"))
        let client = try proxy.connect(limit: .seconds(5))
        try client.send(request("GET \(peer.url)/ HTTP/1.1", ["Host: h"]))
        #expect(try client.isSilent(for: .milliseconds(700)))
        lock.release()
        let response = try client.receive()
        #expect(response.status == 401 && response.body.text == body)
    }

    @Test("A-7 a changed secret ends the withholding", arguments: Demand.all)
    func changedSecret(_ demand: Demand) throws {
        let (peer, proxy) = try refused(demand)
        try proxy.folder.write("another", to: "secret", mode: 0o600)
        proxy.reload()
        try eventually("the new secret to be tried") {
            _ = try proxy.get(demand.url(of: peer))
            return demand.attempts(at: peer) == 2
        }
        // It is wrong too, and withheld in its turn.
        let response = try proxy.get(demand.url(of: peer))
        #expect(reason(of: response) == "credential.withheld")
        #expect(demand.attempts(at: peer) == 2)
    }

    @Test("A-7 a reload that leaves the secret alone doesn't end the withholding", arguments: Demand.all)
    func unrelatedReload(_ demand: Demand) throws {
        let (peer, proxy) = try refused(demand)
        // That it took effect shows by who may use the proxy.
        try proxy.rewrite(
            demand.rules(for: peer) + "\naccess: { clients: [127.0.0.2] }"
        )
        proxy.reload()
        try eventually("the reload to take effect") { try proxy.get(demand.url(of: peer)).status == 403 }
        try proxy.rewrite(demand.rules(for: peer))
        proxy.reload()
        try eventually("the second reload to take effect") { try proxy.get(demand.url(of: peer)).status != 403 }
        let response = try proxy.get(demand.url(of: peer))
        #expect(reason(of: response) == "credential.withheld")
        #expect(demand.attempts(at: peer) == 1)
    }

    @Test("A-7b release ends the withholding in the running process", arguments: Demand.all)
    func release(_ demand: Demand) throws {
        let (peer, proxy) = try refused(demand)
        let outcome = try Binary.run(["release", "--config", proxy.folder("countersign.yaml"), "staff"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        _ = try proxy.get(demand.url(of: peer))
        #expect(demand.attempts(at: peer) == 2)
    }
}
