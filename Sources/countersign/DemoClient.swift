internal import Bytes
internal import Events
internal import Glibc
internal import HTTP

/// A client that knows nothing of authentication: one request on a connection of its own, within a limit.
enum DemoClient {
    /// What came of a request.
    struct Outcome {
        var status: UInt16?
        /// How the server says that the proxy answered it.
        var answered: String?
        /// Why there is no status.
        var problem = ""
        var duration: Duration
    }

    private static let limit = Duration.seconds(10)
    private static let mostBytes = 1 << 20

    /// Gets `url` by way of a proxy on this machine.
    static func get(_ url: String, through proxy: SocketAddress) -> Outcome {
        let start = ContinuousClock.now
        var outcome = Outcome(duration: .zero)
        let authority = url.split(separator: "/").dropFirst().first ?? ""
        let request = "GET \(url) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n"
        if let response = exchange(request, with: proxy, until: start + limit) {
            read(response, into: &outcome)
        } else {
            outcome.problem = "no response"
        }
        outcome.duration = ContinuousClock.now - start
        return outcome
    }

    private static func read(_ response: [UInt8], into outcome: inout Outcome) {
        var head = ResponseHead()
        guard case .head = head.parse(response.span, limits: Limits(), requestMethod: .get) else {
            outcome.problem = response.isEmpty ? "closed" : "no HTTP"
            return
        }
        outcome.status = head.status
        outcome.answered = head.fields.first(named: "Demo-Answered").map {
            String(decoding: [UInt8](head.fields.value($0)), as: UTF8.self)
        }
    }

    /// Sends `request` and reads to the end of the connection; nil where that fails.
    private static func exchange(
        _ request: String,
        with proxy: SocketAddress,
        until end: ContinuousClock.Instant
    ) -> [UInt8]? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        setLimit(descriptor, SO_RCVTIMEO)
        setLimit(descriptor, SO_SNDTIMEO)
        guard connect(descriptor, to: proxy), send(request, on: descriptor) else { return nil }
        var response: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while ContinuousClock.now < end && response.count < mostBytes {
            let count = unsafe part.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count == 0 { return response }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            response += part[..<count]
        }
        return nil
    }

    private static func setLimit(_ descriptor: Int32, _ option: Int32) {
        var time = timeval(tv_sec: Int(limit.components.seconds), tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func connect(_ descriptor: Int32, to proxy: SocketAddress) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = proxy.port.bigEndian
        address.sin_addr.s_addr = (proxy.address.v4 ?? 0).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func send(_ request: String, on descriptor: Int32) -> Bool {
        var bytes = Array(request.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
