import Testing

@testable import Exchange

@Suite struct TunnelStateMachineTests {
    @Test("H-15 an end is passed on, and the tunnel is over with both", arguments: [true, false])
    func ends(_ clientFirst: Bool) {
        var tunnel = TunnelStateMachine()
        #expect(!tunnel.isHalf)
        #expect(tunnel.ended(fromClient: clientFirst, isBlocked: false) == .shutDown)
        #expect(tunnel.isHalf)
        #expect(tunnel.ended(fromClient: clientFirst, isBlocked: false) == .none)
        #expect(tunnel.ended(fromClient: !clientFirst, isBlocked: false) == .close)
    }

    @Test("H-15 an end waits for the bytes before it")
    func waits() {
        var tunnel = TunnelStateMachine()
        #expect(tunnel.drained(fromClient: true) == .none)
        #expect(tunnel.ended(fromClient: true, isBlocked: true) == .none)
        #expect(!tunnel.isHalf)
        #expect(tunnel.drained(fromClient: false) == .none)
        #expect(tunnel.drained(fromClient: true) == .shutDown)
        #expect(tunnel.drained(fromClient: true) == .none)
        #expect(tunnel.ended(fromClient: false, isBlocked: true) == .none)
        #expect(tunnel.drained(fromClient: false) == .close)
    }
}
