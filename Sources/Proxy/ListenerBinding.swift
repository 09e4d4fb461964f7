internal import Events
internal import Rules

/// The open sockets of one listener of the rule file.
enum ListenerBinding: Sendable {
    /// A port, with a socket for each loop.
    case port(PortBinding)
    /// A unix socket, whose connections are handed out to the loops.
    case unix(UnixBinding)
    /// What the service's starter passed on under one name, handed out as well.
    case inherited([InheritedSocket])

    /// Opens what the rule file names; `inherited` are all that were passed on.
    init(_ listener: ListenerConfiguration, workers: Int, _ inherited: [InheritedSocket]) throws(StartError) {
        switch listener.address {
        case .tcp(let address, let port):
            let wanted = SocketAddress(address, port: port)
            do throws(SystemError) {
                self = .port(try PortBinding(wanted, count: workers))
            } catch {
                throw StartError("can't listen on \(wanted.description): \(error.reason)")
            }
        case .unix(let path):
            do throws(SystemError) {
                let binding = try UnixBinding(path: path, permissions: listener.modeBits, group: listener.group)
                self = .unix(binding)
            } catch {
                throw StartError("can't listen on unix:\(path): \(error.reason)")
            }
        case .systemd(let name):
            let own = inherited.filter { $0.name == name }
            guard !own.isEmpty else {
                throw StartError(
                    "can't listen on systemd:\(name): no listening stream socket was passed on under that name; "
                        + "its unit says FileDescriptorName=\(name), and not Accept=yes"
                )
            }
            self = .inherited(own)
        }
    }

    /// The ports that lead here.
    var addresses: [SocketAddress] {
        switch self {
        case .port(let binding): [binding.address]
        case .unix: []
        case .inherited(let sockets): sockets.compactMap(\.address)
        }
    }

    /// Where it listens, in the rule file's words where it is no port.
    var description: String {
        switch self {
        case .port(let binding): binding.address.description
        case .unix(let binding): "unix:\(binding.path)"
        case .inherited(let sockets):
            "systemd:\(sockets.first?.name ?? "")"
                + sockets.compactMap { $0.address.map { " \($0.description)" } }.joined()
        }
    }

    /// One loop accepts for all.
    var isHandedOut: Bool {
        if case .port = self { return false }
        return true
    }

    /// The next socket that a loop is to listen on; nil where there is none left.
    func take() -> Descriptor? {
        switch self {
        case .port(let binding):
            return binding.take()
        case .unix(let binding):
            return binding.take()
        case .inherited(let sockets):
            for socket in sockets {
                if let descriptor = socket.take() { return descriptor }
            }
            return nil
        }
    }

    /// Nobody can come any more.
    func remove() {
        if case .unix(let binding) = self { binding.remove() }
    }
}

/// An accepted connection on its way from one loop to another; closed where it doesn't arrive.
final class HandedConnection: Sendable {
    private let descriptor: Locked<Int32?>
    /// nil for other than IP.
    let peer: SocketAddress?
    /// The place of the port that it came by.
    let listener: Int

    init(_ descriptor: consuming Descriptor, peer: SocketAddress?, listener: Int) {
        self.descriptor = Locked(descriptor.release())
        self.peer = peer
        self.listener = listener
    }

    deinit {
        if let left = take() { _ = consume left }
    }

    /// The socket; nil when it has been taken.
    func take() -> Descriptor? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        .map { Descriptor(owning: $0) }
    }
}
