import Bytes
import Glibc

@testable import Events

/// Runs `loop` until `condition` holds; false if that takes more than ten seconds.
func run(_ loop: EventLoop, until condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        loop.runOnce()
        usleep(200)
    }
    return true
}

/// Turns `loop` for so long.
func run(_ loop: EventLoop, milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {
        loop.runOnce()
        usleep(500)
    }
}

/// A listener on `loop` for the next socket of `binding`.
func listen(_ loop: EventLoop, _ binding: PortBinding, _ acceptor: Acceptor) throws -> Listener {
    guard let descriptor = binding.take() else { throw SystemError(.listen, code: ENOENT) }
    return Listener(loop, descriptor, observer: acceptor)
}

/// Two connected sockets on `loop`.
func socketPair(_ loop: EventLoop) throws -> (StreamSocket, StreamSocket) {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else { throw SystemError(.socket, code: errno) }
    return (
        StreamSocket(loop, Descriptor(owning: pair[0])), StreamSocket(loop, Descriptor(owning: pair[1]))
    )
}

/// Notes what it is told, and does what the test wants then.
final class Observer: ReadinessObserver {
    var readableCount = 0
    var writableCount = 0
    var onReadable: () -> Void = {}
    var onWritable: () -> Void = {}

    func readable() {
        readableCount += 1
        onReadable()
    }

    func writable() {
        writableCount += 1
        onWritable()
    }
}

/// Keeps what was accepted.
final class Acceptor: ListenerObserver {
    let loop: EventLoop
    var sockets: [StreamSocket] = []
    var peers: [SocketAddress?] = []
    var failures: [SystemError] = []
    var onAccept: (Acceptor) -> Void = { _ in }

    init(_ loop: EventLoop) { self.loop = loop }

    func accepted(_ descriptor: consuming Descriptor, from peer: SocketAddress?, by listener: Listener) {
        sockets.append(StreamSocket(loop, descriptor))
        peers.append(peer)
        onAccept(self)
    }

    func acceptFailed(_ error: SystemError, by listener: Listener) {
        failures.append(error)
    }
}

let anyLoopbackPort = SocketAddress(.loopbackV4, port: 0)

extension Array where Element == UInt8 {
    init(_ span: Span<UInt8>) {
        self = span.indices.map { span[$0] }
    }
}
