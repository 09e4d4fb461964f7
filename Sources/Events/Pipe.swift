internal import CEvent
internal import Glibc

/// A pipe through which bytes go from one socket to another inside the kernel.
///
/// It pays for what has proved large: a pipe costs four system calls, and each `fill` and `drain` one more than a read
/// and a write. The process has to `ignoreBrokenPipes`, since splice knows no MSG_NOSIGNAL.
package struct Pipe: ~Copyable {
    private let readEnd: Descriptor
    private let writeEnd: Descriptor
    /// How many bytes the pipe was asked to hold; the kernel counts pages, so small pieces fill it earlier.
    package let capacity: Int
    /// How many bytes are in it.
    package private(set) var count = 0

    /// Makes an empty pipe, of the kernel's usual size where it doesn't grant `capacity`.
    package init(capacity: Int = 256 * 1024) throws(SystemError) {
        var pair: [Int32] = [-1, -1]
        let result = unsafe pipe2(&pair, O_NONBLOCK | O_CLOEXEC)
        guard result == 0 else { throw SystemError(.pipe) }
        readEnd = Descriptor(owning: pair[0])
        writeEnd = Descriptor(owning: pair[1])
        // F_SETPIPE_SZ, which Glibc's module lacks.
        let granted = fcntl(pair[1], 1031, Int32(clamping: capacity))
        self.capacity = granted > 0 ? Int(granted) : 64 * 1024
    }

    /// Moves at most `limit` bytes that have arrived at `socket` into the pipe.
    ///
    /// `wouldBlock` means that nothing has arrived or, if `count` isn't 0, perhaps that the pipe is full.
    package mutating func fill(from socket: StreamSocket, limit: Int = .max) -> ReadResult {
        while true {
            let moved = splice(
                socket.rawDescriptor,
                nil,
                writeEnd.rawValue,
                nil,
                min(limit, capacity),
                Self.moveWithoutBlocking
            )
            if moved > 0 {
                count += moved
                return .bytes(moved)
            }
            if moved == 0 { return .endOfFile }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(SystemError(.splice))
            }
        }
    }

    /// Moves what is in the pipe to `socket`, as much as there is room for.
    package mutating func drain(to socket: StreamSocket) -> WriteResult {
        guard count > 0 else { return .wrote(0) }
        while true {
            let moved = splice(
                readEnd.rawValue,
                nil,
                socket.rawDescriptor,
                nil,
                count,
                Self.moveWithoutBlocking
            )
            if moved >= 0 {
                count -= moved
                return .wrote(moved)
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(SystemError(.splice))
            }
        }
    }

    /// SPLICE_F_MOVE and SPLICE_F_NONBLOCK, which Glibc's module lacks.
    private static let moveWithoutBlocking: UInt32 = 3
}
