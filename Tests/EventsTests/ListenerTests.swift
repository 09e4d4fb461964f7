import Bytes
import Glibc
import Testing

@testable import Events

@Suite struct ListenerTests {
    @Test("R-8 two loops share a port and both get connections")
    func sharedPort() throws {
        let binding = try PortBinding(anyLoopbackPort, count: 2)
        let counts = Locked([0, 0])
        let boxes = Locked<[Mailbox<EventLoop.Job>]>([])
        let group = try EventLoopGroup(
            count: 2,
            name: "accept",
            { index, loop in
                let acceptor = Acceptor(loop)
                acceptor.onAccept = { _ in counts.withLock { $0[index] += 1 } }
                let listener = try? listen(loop, binding, acceptor)
                boxes.withLock { $0.append(loop.mailbox) }
                loop.run()
                listener?.close()
            },
            failed: { _ in }
        )
        let loop = try EventLoop()
        var sockets: [StreamSocket] = []
        for _ in 0..<100 { sockets.append(try StreamSocket.connect(to: binding.address, loop: loop)) }
        #expect(run(loop) { counts.withLock { $0[0] + $0[1] } == 100 })
        // The kernel spreads by a hash of the addresses: one side without any would be a 1 in 2^99 chance.
        #expect(counts.withLock { $0[0] > 0 && $0[1] > 0 })
        #expect(run(loop) { boxes.withLock { $0.count } == 2 })
        for box in boxes.withLock({ $0 }) { box.send { $0.stop() } }
        group.join()
        for socket in sockets { socket.close() }
    }

    @Test("R-8 a second instance on the same port fails with address in use")
    func secondInstance() throws {
        let first = try PortBinding(anyLoopbackPort, count: 2)
        #expect(throws: SystemError(.bind, code: EADDRINUSE)) { try PortBinding(first.address, count: 2) }
        let everywhere = SocketAddress(IPAddress(v4: 0), port: first.address.port)
        #expect(throws: SystemError(.bind, code: EADDRINUSE)) { try PortBinding(everywhere, count: 1) }
        #expect(SystemError(.bind, code: EADDRINUSE).description == "bind: Address already in use")
        withExtendedLifetime(first) {}
    }

    @Test("a port is free again when its binding has gone, also after connections")
    func rebound() throws {
        let loop = try EventLoop()
        let acceptor = Acceptor(loop)
        let address: SocketAddress
        do {
            let binding = try PortBinding(anyLoopbackPort, count: 2)
            address = binding.address
            let listener = try listen(loop, binding, acceptor)
            let socket = try StreamSocket.connect(to: address, loop: loop)
            // The one may have gone to the socket that nobody listens on.
            run(loop, milliseconds: 20)
            for accepted in acceptor.sockets { accepted.close() }
            socket.close()
            listener.close()
        }
        let again = try PortBinding(address, count: 1)
        #expect(again.address == address)
    }

    @Test("a paused listener leaves connections waiting and takes them when it resumes")
    func pause() throws {
        let loop = try EventLoop()
        let binding = try PortBinding(anyLoopbackPort, count: 1)
        let acceptor = Acceptor(loop)
        let listener = try listen(loop, binding, acceptor)
        listener.pause()
        var sockets: [StreamSocket] = []
        for _ in 0..<20 { sockets.append(try StreamSocket.connect(to: binding.address, loop: loop)) }
        run(loop, milliseconds: 20)
        #expect(acceptor.sockets.isEmpty)
        listener.resume()
        #expect(run(loop) { acceptor.sockets.count == 20 })
        listener.close()
    }

    @Test("O-12 an observer that pauses at its limit is given no connection more")
    func limit() throws {
        let loop = try EventLoop()
        let binding = try PortBinding(anyLoopbackPort, count: 1)
        let acceptor = Acceptor(loop)
        let listener = try listen(loop, binding, acceptor)
        acceptor.onAccept = { if $0.sockets.count == 3 { listener.pause() } }
        var sockets: [StreamSocket] = []
        for _ in 0..<10 { sockets.append(try StreamSocket.connect(to: binding.address, loop: loop)) }
        run(loop, milliseconds: 30)
        #expect(acceptor.sockets.count == 3)
        listener.close()
        #expect(acceptor.sockets.count == 10)
    }

    @Test("R-8 what has come is accepted before a listener closes")
    func emptied() throws {
        let loop = try EventLoop()
        let binding = try PortBinding(anyLoopbackPort, count: 1)
        let acceptor = Acceptor(loop)
        let listener = try listen(loop, binding, acceptor)
        var sockets: [StreamSocket] = []
        for _ in 0..<150 { sockets.append(try StreamSocket.connect(to: binding.address, loop: loop)) }
        listener.close()
        #expect(acceptor.sockets.count == 150)
        listener.close()
    }

    @Test("S-2 used-up descriptors neither end accepting nor make the loop spin")
    func descriptorsUsedUp() async {
        // The limit is the process's, so this runs in one of its own.
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let binding = try PortBinding(anyLoopbackPort, count: 1)
            let acceptor = Acceptor(loop)
            let listener = try listen(loop, binding, acceptor)
            let client = try StreamSocket.connect(to: binding.address, loop: loop)
            let second = try StreamSocket.connect(to: binding.address, loop: loop)
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 256
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var fillers: [Int32] = []
            while fillers.count < 300 {
                let filler = dup(0)
                if filler < 0 { break }
                fillers.append(filler)
            }
            let start = clock()
            run(loop, milliseconds: 350)
            guard acceptor.sockets.isEmpty, (2...5).contains(acceptor.failures.count) else { exit(1) }
            guard acceptor.failures.allSatisfy({ $0.code == EMFILE }) else { exit(2) }
            guard clock() - start < 200_000 else { exit(3) }
            for filler in fillers { close(filler) }
            guard run(loop, until: { acceptor.sockets.count == 2 }) else { exit(4) }
            listener.close()
            client.close()
            second.close()
            exit(0)
        }
    }
}

@Suite struct ProcessSettingsTests {
    @Test("O-10 the soft limit of open files is raised to the hard one")
    func openFiles() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let hard = limit.rlim_max
            limit.rlim_cur = 64
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard ProcessSettings.raiseOpenFileLimit() == Int(clamping: hard) else { exit(1) }
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            exit(limit.rlim_cur == hard ? 0 : 2)
        }
    }
}
