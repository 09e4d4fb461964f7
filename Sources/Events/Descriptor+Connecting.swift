internal import Glibc

extension Descriptor {
    /// A connected socket that blocks, for a thread that may wait; each of its calls takes so many seconds at most.
    package static func connected(to address: SocketAddress, seconds: Int) throws(SystemError) -> Descriptor {
        let number = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemError(.connect) }
        let descriptor = Descriptor(owning: number)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        // It bounds the connecting, too.
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = unsafe setsockopt(number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let status = unsafe address.withKernelForm { unsafe connect(number, $0, $1) == 0 ? 0 : errno }
        guard status == 0 else { throw SystemError(.connect, code: status) }
        return descriptor
    }
}
