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
