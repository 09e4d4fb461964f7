import Bytes
import Glibc
import Testing

@testable import Events

/// Permits what it is told to, and notes what it was asked and told.
private final class DialNotes: DialerObserver {
    var forbidden: Set<IPAddress> = []
    var asked: [IPAddress] = []
    var outcome: Dialer.Outcome?

    func permits(_ address: IPAddress) -> Bool {
        asked.append(address)
        return !forbidden.contains(address)
    }

    func dialled(_ outcome: Dialer.Outcome) { self.outcome = outcome }

    /// What it was told, at once or later.
    func end(_ atOnce: Dialer.Outcome?, _ loop: EventLoop) -> Dialer.Outcome? {
        if let atOnce { return atOnce }
        _ = run(loop) { outcome != nil }
        return outcome
    }
}

@Suite struct DialerTests {
    private let loop: EventLoop
    private let second = IPAddress(v4: 0x7f00_0002)

    init() throws { loop = try EventLoop() }

    /// A resolver for which every name has these addresses.
    private func resolver(_ addresses: [IPAddress]) throws -> Resolver {
        try Resolver(loop, NameService(.system, threads: ResolverThreads { _ in .success(addresses) }))
    }

    /// A port at which `address` never answers: its queue is full.
    private func blackHole(_ address: IPAddress, port: UInt16) throws -> (PortBinding, [StreamSocket]) {
        let binding = try PortBinding(SocketAddress(address, port: port), count: 1, backlog: 0)
        var sockets: [StreamSocket] = []
        for _ in 0..<4 {
            let socket = try StreamSocket.connect(to: binding.address, loop: loop)
            sockets.append(socket)
            if socket.isConnecting { return (binding, sockets) }
        }
        throw SystemError(.connect, code: EISCONN)
    }

    @Test("H-11 an address that doesn't answer is overtaken by the next, and given up")
    func overtaken() throws {
        let live = try PortBinding(anyLoopbackPort, count: 1)
        let (hole, filling) = try blackHole(second, port: live.address.port)
        let notes = DialNotes()
        let dialer = Dialer(loop, port: live.address.port, observer: notes)
        let resolver = try resolver([second, .loopbackV4])
        let began = ContinuousClock.now
        let outcome = notes.end(dialer.dial("two.example", by: resolver, within: .seconds(5)), loop)
        guard case .connected(let socket, let address) = outcome else {
            Issue.record("not connected: \(String(describing: outcome))")
            return
        }
        #expect(address == .loopbackV4)
        #expect((.milliseconds(240) ... .seconds(2)).contains(ContinuousClock.now - began))
        #expect(notes.asked == [second, .loopbackV4])
        socket.close()
        for socket in filling { socket.close() }
        withExtendedLifetime(hole) {}
    }

    @Test("H-11 IPv6 that refuses makes way for IPv4 at once")
    func refused() throws {
        let live = try PortBinding(anyLoopbackPort, count: 1)
        let notes = DialNotes()
        let dialer = Dialer(loop, port: live.address.port, observer: notes)
        let resolver = try resolver([.loopbackV6, .loopbackV4])
        let began = ContinuousClock.now
        let outcome = notes.end(dialer.dial("two.example", by: resolver, within: .seconds(5)), loop)
        guard case .connected(let socket, .loopbackV4) = outcome else {
            Issue.record("not connected: \(String(describing: outcome))")
            return
        }
        #expect(ContinuousClock.now - began < .milliseconds(240))
        socket.close()
    }

    @Test("R-7 an address that isn't permitted is not dialled, and told where no other answers")
    func forbidden() throws {
        let live = try PortBinding(anyLoopbackPort, count: 1)
        let acceptor = Acceptor(loop)
        let listener = try listen(loop, live, acceptor)
        let notes = DialNotes()
        notes.forbidden = [.loopbackV4]
        let dialer = Dialer(loop, port: live.address.port, observer: notes)
        let resolver = try resolver([.loopbackV4, second])
        let outcome = notes.end(dialer.dial("two.example", by: resolver, within: .seconds(5)), loop)
        guard case .failed(.refused) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(notes.asked == [.loopbackV4, second])
        run(loop, milliseconds: 20)
        #expect(acceptor.sockets.isEmpty)
        listener.close()
    }

    @Test("a literal address is dialled without a resolver, and one that is cancelled tells nothing")
    func literal() throws {
        let live = try PortBinding(anyLoopbackPort, count: 1)
        let notes = DialNotes()
        let dialer = Dialer(loop, port: live.address.port, observer: notes)
        guard case .connected(let socket, .loopbackV4) = notes.end(dialer.dial(.loopbackV4), loop) else {
            Issue.record("not connected")
            return
        }
        socket.close()
        let (hole, filling) = try blackHole(second, port: live.address.port)
        let other = Dialer(loop, port: live.address.port, observer: notes)
        if case .some = other.dial(second) { Issue.record("it is over already") }
        other.cancel()
        run(loop, milliseconds: 20)
        #expect(notes.outcome == nil)
        for socket in filling { socket.close() }
        withExtendedLifetime(hole) {}
    }
}
