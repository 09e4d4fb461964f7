import Events
import Exchange
import HTTP
import Rules
import Support
import Testing
import Trust

@testable import Proxy

/// The queue of reports and the thread that empties it.
struct ReportLaneTests {
    private let lane = ReportLane(
        connecting: ConnectingMeans(
            names: NameService(.system),
            contexts: TLSContexts(),
            ownAddresses: OwnAddresses(listeners: [], local: [])
        ),
        log: ProxyLog(LogConfiguration(), writer: nil)
    )

    /// A report that differs from others by its port.
    private func report(_ port: UInt16, to collector: ScriptedPeer) throws -> WaitingReport {
        let failure = TrustFailure(
            kind: .pins,
            policy: "trust[0]",
            identity: ReferenceIdentity(host: "a.test"),
            seen: []
        )
        return WaitingReport(
            report: PinReport(failure, port: port, served: [], policy: TrustPolicy(name: "trust[0]", terms: .init())),
            target: try #require(ResourceURL("http://127.0.0.1:\(collector.port)/")),
            security: nil,
            timeouts: TimeoutsConfiguration(),
            date: 1_784_113_445
        )
    }

    @Test("T-4 a collector that hangs fills a bounded queue, and holds up no other")
    func bounded() throws {
        let dead = try ScriptedPeer { _ in [.hang] }
        let alive = try ScriptedPeer { _ in [.response(204)] }
        #expect(try lane.take(report(1, to: dead)))
        try dead.waitForRequests(1)
        for port in 2...UInt16(ReportLane.capacity) { #expect(try lane.take(report(port, to: dead))) }
        #expect(try lane.take(report(1000, to: alive)))
        try alive.waitForRequests(1)
        #expect(try lane.take(report(1001, to: dead)))
        #expect(try !lane.take(report(1002, to: dead)))
        #expect(try !lane.take(report(1003, to: alive)))
        let clock = ContinuousClock()
        let begin = clock.now
        lane.stop()
        #expect(clock.now - begin < .seconds(4))
        #expect(dead.requests.count == 1)
        #expect(try !lane.take(report(1004, to: alive)))
    }

    @Test("T-4 what was dropped for want of room is sent when it is found again")
    func again() throws {
        let gate = Gate()
        let collector = try ScriptedPeer { _ in [.wait(gate), .response(204)] }
        #expect(try lane.take(report(1, to: collector)))
        try collector.waitForRequests(1)
        let last = UInt16(ReportLane.capacity) + 2
        for port in 2..<last { #expect(try lane.take(report(port, to: collector))) }
        #expect(try !lane.take(report(last, to: collector)))
        gate.opens()
        try collector.waitForRequests(ReportLane.capacity + 1)
        #expect(try lane.take(report(last, to: collector)))
        #expect(try !lane.take(report(last, to: collector)))
        try collector.waitForRequests(ReportLane.capacity + 2)
        lane.stop()
        #expect(collector.requests.count == ReportLane.capacity + 2)
    }
}
