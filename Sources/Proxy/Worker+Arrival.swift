internal import Bytes
internal import Events
internal import Rules
internal import Synchronization

/// Connections as they come: to which loop they go, and who is at their other end.
extension Worker {
    func accepted(_ descriptor: consuming Descriptor, from peer: SocketAddress?, by listener: Listener) {
        guard let entry = listeners.first(where: { $0.listener === listener }) else { return }
        lastArrival = loop.now
        let count = shared.clients.wrappingAdd(1, ordering: .relaxed).newValue
        if count >= configuration.limits.connections {
            pauseListeners()
            shared.peers.forEach(except: index) { $0.pauseListeners() }
        }
        if entry.isHandedOut, !isDraining, let next = shared.peers.index(following: lastHanded), next != index {
            lastHanded = next
            let connection = HandedConnection(descriptor, peer: peer, listener: entry.index)
            shared.peers.send(to: next) { worker in
                guard let descriptor = connection.take() else { return }
                worker.take(descriptor, from: connection.peer, by: connection.listener)
            }
            return
        }
        lastHanded = index
        take(descriptor, from: peer, by: entry.index)
    }

    /// Serves a connection on this loop.
    private func take(_ descriptor: consuming Descriptor, from peer: SocketAddress?, by listener: Int) {
        let identity = identity(descriptor, peer, policy.listeners[listener])
        add(StreamSocket(loop, descriptor), identity, listener: listener)
    }

    private func identity(
        _ descriptor: borrowing Descriptor,
        _ peer: SocketAddress?,
        _ listener: ListenerConfiguration
    ) -> Client {
        guard let peer else {
            let credentials = descriptor.peerCredentials()
            return Client(
                address: nil,
                listener: listener.name,
                user: credentials?.user,
                groups: credentials?.groups ?? []
            )
        }
        let user = policy.asksForUsers ? user(of: peer, connectedTo: descriptor.localAddress()) : nil
        return Client(address: peer.address.unmapped, listener: listener.name, user: user)
    }

    /// Finds out what is not known yet of a client that came under other rules.
    func identify(_ client: inout Client, at socket: StreamSocket) {
        guard policy.asksForUsers, client.user == nil, let peer = socket.peerAddress else { return }
        client.user = user(of: peer, connectedTo: socket.localAddress)
    }

    /// The inode of the socket at the other end, where that is on this machine.
    func processSocket(of socket: StreamSocket) -> UInt32? {
        guard let peer = socket.peerAddress, let own = socket.localAddress else { return nil }
        guard shared.ownAddresses.isLocal(peer.address) else { return nil }
        return peerUsers?.peerSocket(at: peer, connectedTo: own)?.inode
    }

    /// The user at the other end, where that is on this machine.
    private func user(of peer: SocketAddress, connectedTo own: SocketAddress?) -> UInt32? {
        guard let own, shared.ownAddresses.isLocal(peer.address) else { return nil }
        return peerUsers?.user(of: peer, connectedTo: own)
    }

    func makePeerUsers() -> PeerUsers? {
        do throws(SystemError) {
            return try PeerUsers()
        } catch {
            shared.log.warn("the users of loopback connections can't be told: \(error.description)")
            return nil
        }
    }
}
