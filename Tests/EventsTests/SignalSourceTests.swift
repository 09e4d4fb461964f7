import Glibc
import Testing

@testable import Events

@Suite struct SignalSourceTests {
    @Test("O-1 blocked signals end nothing and are told on the loop")
    func signals() async {
        // A signal is the process's, so this runs in one of its own.
        await #expect(processExitsWith: .success) {
            SignalSource.block([.hangup, .terminate, .interrupt])
            let loop = try EventLoop()
            var got: [SignalSource.Signal] = []
            let source = try SignalSource(loop, [.hangup, .terminate, .interrupt]) { got.append($0) }
            pthread_kill(pthread_self(), SIGHUP)
            guard run(loop, until: { got == [.hangup] }) else { exit(1) }
            pthread_kill(pthread_self(), SIGTERM)
            guard run(loop, until: { got == [.hangup, .terminate] }) else { exit(2) }
            pthread_kill(pthread_self(), SIGINT)
            guard run(loop, until: { got.last == .interrupt }) else { exit(3) }
            withExtendedLifetime(source) {}
            exit(0)
        }
    }
}
