internal import CEvent
internal import Glibc

/// A failed system call: its errno and which call it was.
package struct SystemError: Error, Equatable, Sendable {
    /// The calls that may fail.
    package enum Operation: String, Sendable {
        case accept, bind, connect, eventfd, eventLoop, getsockname, listen, open, pipe, receive, send, setsockopt
        case pidfd, shutdown, signalfd, socket, spawn, splice, thread
    }

    /// The errno.
    package let code: Int32
    /// The call.
    package let operation: Operation

    /// The failure of `operation` with `code`.
    package init(_ operation: Operation, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// What stands between a socket and its owner failed, and knows why.
    package static let secureChannel = SystemError(.receive, code: EPROTO)

    /// The failure of `operation` that errno tells of.
    init(_ operation: Operation) {
        self.init(operation, code: errno)
    }

    /// What the system says of the errno.
    package var reason: String {
        unsafe String(cString: strerror(code))
    }

    /// Whether the address is in use by another socket.
    package var isAddressInUse: Bool { code == EADDRINUSE }
    /// Whether the other side refused the connection.
    package var isRefused: Bool { code == ECONNREFUSED }
    /// Whether the other side reset the connection, or was gone when we wrote.
    package var isReset: Bool { code == ECONNRESET || code == EPIPE }
    /// Whether the time was up.
    package var isTimeout: Bool { code == ETIMEDOUT }
    /// Whether there is no way to the address.
    package var isUnreachable: Bool {
        code == ENETUNREACH || code == EHOSTUNREACH || code == EADDRNOTAVAIL || code == ENETDOWN
    }
    /// Whether descriptors or the memory behind them are used up.
    package var isExhaustion: Bool {
        code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM
    }
}

extension SystemError: CustomStringConvertible {
    /// `bind: Address already in use`
    package var description: String { "\(operation.rawValue): \(reason)" }
}
