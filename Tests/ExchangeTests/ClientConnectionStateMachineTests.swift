import Testing

@testable import Exchange

@Suite struct ClientConnectionStateMachineTests {
    private func serving(
        keepsAlive: Bool = true,
        hasBody: Bool = false,
        asksForTunnel: Bool = false
    ) -> ClientConnectionStateMachine {
        var machine = ClientConnectionStateMachine()
        machine.headBegan()
        machine.headReceived(keepsAlive: keepsAlive, hasBody: hasBody, asksForTunnel: asksForTunnel)
        return machine
    }

    @Test("H-10 one request is served at a time: what came behind it waits")
    func oneAtATime() {
        var machine = serving()
        #expect(machine.next(hasBytes: true, isBlocked: false) == .none)
        #expect(machine.readable(hasUnread: true, isBlocked: false) == .pause)
        machine.exchangeEnded(keepsAlive: true, isBodyRead: true, hasUnread: true)
        #expect(machine.state == .idle)
        #expect(machine.next(hasBytes: true, isBlocked: false) == .parseHead)
    }

    @Test("H-7 no further request is taken while the client doesn't read what it was answered")
    func blocked() {
        var machine = ClientConnectionStateMachine()
        #expect(machine.next(hasBytes: true, isBlocked: true) == .none)
        #expect(machine.readable(hasUnread: false, isBlocked: true) == .pause)
        #expect(machine.next(hasBytes: true, isBlocked: false) == .parseHead)
        #expect(machine.readable(hasUnread: false, isBlocked: false) == .read)
        // The request that is being served goes on: its body, its end and its reset are still of interest.
        machine.headBegan()
        machine.headReceived(keepsAlive: true, hasBody: true, asksForTunnel: false)
        #expect(machine.next(hasBytes: true, isBlocked: true) == .takeBody)
        #expect(machine.readable(hasUnread: false, isBlocked: true) == .read)
    }

    @Test("H-6 the connection lingers where one side does not keep it, or the body was not read")
    func lingers() {
        for (client, response, isRead) in [(false, true, true), (true, false, true), (true, true, false)] {
            var machine = serving(keepsAlive: client, hasBody: !isRead)
            machine.exchangeEnded(keepsAlive: response, isBodyRead: isRead, hasUnread: false)
            #expect(machine.state == .lingering)
            #expect(machine.readable(hasUnread: false, isBlocked: false) == .discard)
        }
    }

    @Test("H-15 bytes behind a refused CONNECT or upgrade are no request", arguments: [true, false])
    func tunnelRefused(_ hasUnread: Bool) {
        var machine = serving(asksForTunnel: true)
        #expect(machine.mayGoOn(hasUnread: hasUnread) == !hasUnread)
        machine.exchangeEnded(keepsAlive: true, isBodyRead: true, hasUnread: hasUnread)
        #expect(machine.state == (hasUnread ? .lingering : .idle))
    }

    @Test("H-10 an end behind a whole request is a half-close, one within its body ends the exchange")
    func endOfFile() {
        var whole = serving()
        #expect(whole.endOfFileReceived() == .none)
        whole.exchangeEnded(keepsAlive: true, isBodyRead: true, hasUnread: false)
        #expect(whole.state == .closing)
        var within = serving(hasBody: true)
        #expect(within.endOfFileReceived() == .abortExchange)
        var idle = ClientConnectionStateMachine()
        #expect(idle.endOfFileReceived() == .close)
        var tunnel = serving(asksForTunnel: true)
        tunnel.tunnelBegan()
        #expect(tunnel.endOfFileReceived() == .halfClose)
    }

    @Test("S-2 a head or a body that stays away is refused, an idle connection is closed, a blocked reader given up")
    func deadlines() {
        var idle = ClientConnectionStateMachine()
        #expect(idle.deadlinePassed(isBlocked: false) == .close)
        var head = ClientConnectionStateMachine()
        head.headBegan()
        #expect(head.deadlinePassed(isBlocked: false) == .refuse)
        #expect(!head.keepsAlive)
        var body = serving(hasBody: true)
        #expect(body.deadlinePassed(isBlocked: false) == .refuse)
        var served = serving()
        #expect(served.deadlinePassed(isBlocked: false) == .none)
        #expect(served.deadlinePassed(isBlocked: true) == .abortExchange)
    }

    @Test("H-4 nothing behind a malformed request is read")
    func malformed() {
        var machine = ClientConnectionStateMachine()
        machine.headBegan()
        machine.requestMalformed()
        #expect(machine.next(hasBytes: true, isBlocked: false) == .none)
        machine.exchangeEnded(keepsAlive: true, isBodyRead: true, hasUnread: true)
        #expect(machine.state == .lingering)
        #expect(machine.next(hasBytes: true, isBlocked: false) == .none)
    }
}
