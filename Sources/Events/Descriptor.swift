internal import CEvent
internal import Glibc

/// An open file descriptor, closed when its owner lets go of it.
package struct Descriptor: ~Copyable, Sendable {
    /// The number; owned by this value, so never to be closed by others.
    package let rawValue: Int32

    /// Takes ownership of an open descriptor.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        // Sockets, pipes and event descriptors have nothing to lose in a failed close, and on Linux it always frees.
        _ = close(rawValue)
    }

    /// Gives the descriptor away without closing it.
    package consuming func release() -> Int32 {
        let rawValue = self.rawValue
        discard self
        return rawValue
    }
}
