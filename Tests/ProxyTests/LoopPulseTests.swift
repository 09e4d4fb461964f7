import Events
import Testing

@testable import Proxy

@Suite struct LoopPulseTests {
    @Test("O-4 while a loop doesn't answer, nobody is told that the process lives") func stuck() throws {
        let peers = WorkerMailboxes()
        #expect(LoopPulse(peers).beats())
        // Nobody reads this one.
        peers.add(try Mailbox(), index: 0)
        let pulse = LoopPulse(peers)
        for _ in 0..<3 { #expect(!pulse.beats()) }
    }
}
