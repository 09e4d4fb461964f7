internal import Bytes
internal import Events
internal import TLS

/// One TLS session as what stands between a socket and its connection.
final class TLSChannel: StreamCipher {
    let session: TLSSession
    /// What TLS itself had against going on: nothing where only the connection broke.
    private(set) var error: TLSError?
    /// The peer ended without saying so: a body that only its end delimits was cut short.
    private(set) var isTruncated = false
    private(set) var readAwaitsRoom = false

    init(_ session: TLSSession) { self.session = session }

    var hasPending: Bool { session.hasPending }

    func read(into bytes: inout MutableSpan<UInt8>) -> ReadResult {
        readAwaitsRoom = false
        switch session.read(into: &bytes) {
        case .bytes(let count): return .bytes(count)
        case .wantsRead: return .wouldBlock
        case .wantsWrite:
            readAwaitsRoom = true
            return .wouldBlock
        case .endOfFile: return .endOfFile
        case .truncated:
            isTruncated = true
            return .endOfFile
        case .failed(let error):
            keep(error)
            return .failed(.secureChannel)
        }
    }

    func write(_ bytes: Span<UInt8>) -> WriteResult {
        switch session.write(bytes) {
        case .wrote(let count): return .wrote(count)
        // A renegotiation that the server asked for is read before the write goes on; reading is always watched.
        case .wantsRead, .wantsWrite: return .wouldBlock
        case .failed(let error):
            keep(error)
            return .failed(.secureChannel)
        }
    }

    var hasUnsent: Bool { false }
    func flush() -> Bool { true }

    private func keep(_ error: TLSError) {
        switch error.kind {
        case .system, .closed: break
        default: self.error = error
        }
    }

    func peek() -> StreamSocket.Peek {
        // What waits may be a ticket, which is nobody's response: only a read tells.
        var byte: [1 of UInt8] = [0]
        var span = byte.mutableSpan
        switch session.read(into: &span) {
        case .bytes: return .bytes
        case .wantsRead, .wantsWrite: return .silent
        case .endOfFile, .truncated, .failed: return .ended
        }
    }

    func endWriting() { session.shutdown() }
}
