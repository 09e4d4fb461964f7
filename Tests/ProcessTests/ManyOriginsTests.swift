import Support
import Testing

/// A wrong password under one pattern that many origins match.
@Suite struct ManyOriginsTests {
    private static let schemes = Demand.all.filter { !$0.isProxy }

    @Test("A-7 twelve origins asked one after another cost two attempts", arguments: schemes)
    func oneAfterAnother(_ demand: Demand) throws {
        let peers = try (0..<12).map { _ in try demand.refusingPeer() }
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "wrong"])
        for peer in peers { #expect(try proxy.get(demand.url(of: peer)).status == 401) }
        #expect(peers.reduce(0) { $0 + demand.attempts(at: $1) } == 2)
    }

    @Test("A-8 twelve origins asked all at once cost two attempts", arguments: schemes)
    func allAtOnce(_ demand: Demand) throws {
        let peers = try (0..<12).map { _ in try demand.refusingPeer() }
        let proxy = try RunningProxy(Demand.anyPort, workers: 2, files: ["secret": "wrong"])
        let responses = try concurrently(12) { try proxy.get(demand.url(of: peers[$0])) }
        #expect(responses.allSatisfy { $0.status == 401 })
        #expect(peers.reduce(0) { $0 + demand.attempts(at: $1) } == 2)
    }
}
