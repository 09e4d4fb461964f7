import Bytes
import Glibc
import Testing

@testable import Events

@Suite struct StreamSocketTests {
    @Test("what one side writes in two parts is read by the other in one")
    func gatheredWrite() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        let observer = Observer()
        far.observer = observer
        far.resumeReading()
        loop.runOnce()
        #expect(observer.readableCount == 0)

        #expect(near.write([UInt8]("head ".utf8).span, [UInt8]("body".utf8).span) == .wrote(9))
        loop.runOnce()
        #expect(observer.readableCount == 1)
        #expect(far.read() == .bytes(9))
        #expect([UInt8](loop.received) == [UInt8]("head body".utf8))
        #expect(far.read() == .wouldBlock)
        near.close()
        far.close()
    }

    @Test("a read takes no more than its limit")
    func readLimit() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        #expect(near.write([1, 2, 3, 4].span) == .wrote(4))
        #expect(far.read(limit: 3) == .bytes(3))
        #expect([UInt8](loop.received) == [1, 2, 3])
        #expect(far.read(limit: 3) == .bytes(1))
        #expect([UInt8](loop.received) == [4])
    }

    @Test("an ended direction is told as end of file and leaves the other one open")
    func halfClose() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        let observer = Observer()
        far.observer = observer
        far.resumeReading()
        near.shutdownWrite()
        loop.runOnce()
        #expect(observer.readableCount == 1)
        #expect(far.read() == .endOfFile)
        #expect(far.write([7].span) == .wrote(1))
        #expect(near.read() == .bytes(1))
        far.close()
    }

    @Test("a paused socket is told of nothing and of everything when it resumes")
    func pause() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        let observer = Observer()
        far.observer = observer
        far.resumeReading()
        far.pauseReading()
        #expect(near.write([1].span) == .wrote(1))
        for _ in 0..<3 { loop.runOnce() }
        #expect(observer.readableCount == 0)
        far.resumeReading()
        loop.runOnce()
        #expect(observer.readableCount == 1)

        // A pause in which nothing came.
        _ = far.read()
        far.pauseReading()
        loop.runOnce()
        far.resumeReading()
        #expect(near.write([2].span) == .wrote(1))
        loop.runOnce()
        #expect(observer.readableCount == 2)
        far.close()
    }

    @Test("a writer that found no room is told once when there is some")
    func backPressure() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        let observer = Observer()
        near.observer = observer
        let block = [UInt8](repeating: 0x61, count: 1 << 20)
        var written = 0
        while case .wrote(let count) = near.write(block.span) { written += count }
        #expect(written > 0)
        near.notifyWhenWritable()
        loop.runOnce()
        #expect(observer.writableCount == 0)

        var read = 0
        while case .bytes(let count) = far.read(limit: EventLoop.largestReadLimit) { read += count }
        #expect(read == written)
        for _ in 0..<3 { loop.runOnce() }
        #expect(observer.writableCount == 1)

        observer.onWritable = { near.notifyWhenWritable() }
        near.notifyWhenWritable()
        for _ in 0..<3 { loop.runOnce() }
        #expect(observer.writableCount == 4)
        near.close()
    }

    @Test("a socket closed by another's callback in the same turn is not told")
    func closedByAnother() throws {
        let loop = try EventLoop()
        let (firstNear, firstFar) = try socketPair(loop)
        let (secondNear, secondFar) = try socketPair(loop)
        let first = Observer()
        let second = Observer()
        first.onReadable = { secondFar.close() }
        second.onReadable = { firstFar.close() }
        firstFar.observer = first
        secondFar.observer = second
        firstFar.resumeReading()
        secondFar.resumeReading()
        secondFar.notifyWhenWritable()
        #expect(firstNear.write([1].span) == .wrote(1))
        #expect(secondNear.write([1].span) == .wrote(1))
        loop.runOnce()
        #expect(first.readableCount + second.readableCount == 1)
    }

    @Test("an observer that nobody else holds may close its socket and go on working")
    func closedBySelf() throws {
        final class Owner: ReadinessObserver {
            let socket: StreamSocket
            let log: Log
            var text = "still here"
            init(_ socket: StreamSocket, _ log: Log) {
                self.socket = socket
                self.log = log
            }
            deinit { log.lines.append("gone") }
            func readable() {
                socket.close()
                log.lines.append(text)
                text = "changed"
                log.lines.append(text)
            }
            func writable() {}
        }
        final class Log { var lines: [String] = [] }

        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        let log = Log()
        do {
            let owner = Owner(far, log)
            far.observer = owner
            far.resumeReading()
        }
        #expect(near.write([1].span) == .wrote(1))
        loop.runOnce()
        #expect(log.lines == ["still here", "changed", "gone"])
        #expect(far.isClosed)
    }

    @Test("a closed socket fails and touches no other's descriptor")
    func useAfterClose() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        near.close()
        near.close()
        let (_, other) = try socketPair(loop)
        #expect(near.write([1].span) == .failed(SystemError(.send, code: EBADF)))
        #expect(near.read() == .failed(SystemError(.receive, code: EBADF)))
        near.resumeReading()
        near.notifyWhenWritable()
        near.shutdownWrite()
        loop.runOnce()
        #expect(other.peek() == .ended)
        #expect(far.read() == .endOfFile)
    }

    @Test("S-2 a peer that is gone makes a write fail and no signal")
    func brokenPipe() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        far.close()
        #expect(near.write([1].span) == .failed(SystemError(.send, code: EPIPE)))
        #expect(near.write([1].span, [2].span) == .failed(SystemError(.send, code: EPIPE)))
    }

    @Test("a peek tells silence, bytes and the end apart and takes nothing")
    func peek() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair(loop)
        #expect(far.peek() == .silent)
        #expect(near.write([1].span) == .wrote(1))
        #expect(far.peek() == .bytes)
        #expect(far.read() == .bytes(1))
        near.close()
        #expect(far.peek() == .ended)
    }
}

@Suite struct ConnectTests {
    @Test("a connect to a listener succeeds, both ends know their addresses")
    func connect() throws {
        let loop = try EventLoop()
        let binding = try PortBinding(anyLoopbackPort, count: 1)
        let acceptor = Acceptor(loop)
        let listener = try listen(loop, binding, acceptor)
        let observer = Observer()
        let socket = try StreamSocket.connect(to: binding.address, loop: loop)
        socket.observer = observer
        if socket.isConnecting {
            #expect(run(loop) { observer.writableCount == 1 })
            #expect(socket.connectResult() == nil)
        }
        #expect(!socket.isConnecting)
        #expect(socket.write([UInt8]("hello".utf8).span) == .wrote(5))
        #expect(run(loop) { !acceptor.sockets.isEmpty })
        #expect(acceptor.peers == [socket.localAddress])
        #expect(socket.peerAddress == binding.address)
        #expect(acceptor.sockets[0].localAddress == binding.address)
        #expect(run(loop) { acceptor.sockets[0].peek() == .bytes })
        #expect(acceptor.sockets[0].discard(limit: 100) == .bytes(5))

        acceptor.sockets[0].closeWithReset()
        socket.resumeReading()
        #expect(run(loop) { observer.readableCount > 0 })
        #expect(socket.read() == .failed(SystemError(.receive, code: ECONNRESET)))
        socket.close()
        listener.close()
    }

    @Test("a connect to a port where nobody listens is refused")
    func refused() throws {
        let loop = try EventLoop()
        let free = try PortBinding(anyLoopbackPort, count: 1).address
        var refusal: SystemError?
        do throws(SystemError) {
            let socket = try StreamSocket.connect(to: free, loop: loop)
            let observer = Observer()
            socket.observer = observer
            #expect(run(loop) { observer.writableCount == 1 })
            refusal = socket.connectResult()
            socket.close()
        } catch {
            refusal = error
        }
        #expect(refusal?.isRefused == true)
    }

    @Test("an IPv6 loopback address works like an IPv4 one")
    func version6() throws {
        let loop = try EventLoop()
        let binding = try PortBinding(SocketAddress(.loopbackV6, port: 0), count: 1)
        let acceptor = Acceptor(loop)
        let listener = try listen(loop, binding, acceptor)
        let socket = try StreamSocket.connect(to: binding.address, loop: loop)
        #expect(run(loop) { !acceptor.sockets.isEmpty })
        #expect(acceptor.peers.first??.address == .loopbackV6)
        #expect(socket.peerAddress?.description == "[::1]:\(binding.address.port)")
        listener.close()
        socket.close()
    }
}
