internal import Bytes
internal import Events

/// What waits to be sent on one socket: bytes of ours, and behind them bytes in a pipe that came from another socket.
struct Outflow: ~Copyable {
    enum Outcome { case sent, waiting, broken }

    /// What a move from socket to socket came to.
    struct Move {
        enum End {
            /// The source has nothing more now.
            case dry
            /// The reader takes no more now.
            case full
            /// As much as was asked for has been taken from the source.
            case whole
            /// There may be more; others have their turn first.
            case more
            case endOfFile
            case sourceBroken
            case sinkBroken
        }

        /// Bytes that were taken from the source.
        var taken = 0
        var end = End.dry
    }

    /// What one turn of a loop moves at most for one flow.
    private static let turn = 2 * 1024 * 1024

    private var bytes = ByteBuffer()
    private var pipe: Pipe?
    private var piped = 0

    var isEmpty: Bool { bytes.isEmpty && piped == 0 }

    /// Sends both parts, keeping what the kernel doesn't take.
    mutating func send(_ first: Span<UInt8>, _ second: Span<UInt8>, on socket: StreamSocket) -> Outcome {
        guard isEmpty else {
            bytes.append(first)
            bytes.append(second)
            return .waiting
        }
        switch socket.write(first, second) {
        case .wrote(let count): return keepRest(first, second, from: count)
        case .wouldBlock: return keepRest(first, second, from: 0)
        case .failed: return .broken
        }
    }

    private mutating func keepRest(_ first: Span<UInt8>, _ second: Span<UInt8>, from count: Int) -> Outcome {
        guard count < first.count + second.count else { return .sent }
        if count < first.count { bytes.append(first.extracting(count..<first.count)) }
        let start = max(0, count - first.count)
        bytes.append(second.extracting(start..<second.count))
        return .waiting
    }

    /// Sends what waits, as far as there is room.
    mutating func flush(on socket: StreamSocket) -> Outcome {
        // Bytes of ours came behind what is in the pipe only where a flow has ended, so the pipe goes first.
        if piped > 0 {
            guard drain(to: socket) else { return .broken }
            if piped > 0 { return .waiting }
        }
        if bytes.isEmpty { return .sent }
        switch socket.write(bytes.readable) {
        case .wrote(let count): bytes.consume(count)
        case .wouldBlock: break
        case .failed: return .broken
        }
        guard bytes.isEmpty else { return .waiting }
        bytes.shrink()
        return .sent
    }

    /// Moves at most `limit` bytes from `source` to `socket` inside the kernel, once `openPipe` has opened the way and
    /// while nothing waits.
    mutating func splice(from source: StreamSocket, to socket: StreamSocket, limit: UInt64) -> Move {
        var move = Move()
        let most = limit < UInt64(Self.turn) ? Int(limit) : Self.turn
        while true {
            if piped == 0 && move.taken < most {
                if let end = fill(from: source, limit: most - move.taken, &move.taken) {
                    move.end = end
                    return move
                }
            }
            guard drain(to: socket) else {
                move.end = .sinkBroken
                return move
            }
            if piped > 0 || move.taken == most {
                move.end = UInt64(move.taken) == limit ? .whole : piped > 0 ? .full : .more
                return move
            }
        }
    }

    /// Opens the way for `splice`; false where there is no descriptor for it.
    mutating func openPipe() -> Bool {
        if pipe == nil { pipe = try? Pipe(capacity: 1024 * 1024) }
        return pipe != nil
    }

    private mutating func fill(from source: StreamSocket, limit: Int, _ taken: inout Int) -> Move.End? {
        switch pipe?.fill(from: source, limit: limit) {
        case .bytes(let count)?:
            piped += count
            taken += count
            return nil
        case .wouldBlock?: return .dry
        case .endOfFile?: return .endOfFile
        case .failed?, nil: return .sourceBroken
        }
    }

    private mutating func drain(to socket: StreamSocket) -> Bool {
        switch pipe?.drain(to: socket) {
        case .wrote(let count)?:
            piped -= count
            return true
        case .wouldBlock?, nil: return true
        case .failed?: return false
        }
    }

    /// Drops what waits.
    mutating func removeAll() {
        bytes.removeAll()
        pipe = nil
        piped = 0
    }

    /// The flow through the pipe is over; what is still in it goes out first.
    mutating func closePipe() {
        guard pipe != nil else { return }
        if piped == 0 { pipe = nil }
    }
}
