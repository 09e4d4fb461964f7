package import Events

/// The servers that the demo shows the proxy with: an origin and a parent proxy, on a thread of their own.
package final class DemonstrationServer: Sendable {
    /// Where the origin listens.
    package let origin: SocketAddress
    /// Where the parent proxy listens.
    package let parent: SocketAddress

    private let originBinding: PortBinding
    private let parentBinding: PortBinding
    private let state = Locked(State())
    private let group = Locked<EventLoopGroup?>(nil)

    /// Binds both; `BindError` names the address that can't be had. Connections wait until `start`.
    package init(origin: SocketAddress, parent: SocketAddress) throws(BindError) {
        originBinding = try Self.bind(origin)
        parentBinding = try Self.bind(parent)
        self.origin = originBinding.address
        self.parent = parentBinding.address
    }

    private struct State {
        var mailbox: Mailbox<EventLoop.Job>?
        var isStopped = false
    }

    /// An address that can't be listened on, and why.
    package struct BindError: Error, Sendable {
        /// The address.
        package let address: SocketAddress
        /// The system's reason.
        package let reason: SystemError
    }

    private static func bind(_ address: SocketAddress) throws(BindError) -> PortBinding {
        do throws(SystemError) {
            return try PortBinding(address, count: 1)
        } catch {
            throw BindError(address: address, reason: error)
        }
    }

    /// Serves from now on; fails where no thread or descriptor is left.
    package func start() throws(SystemError) {
        let started = try EventLoopGroup(count: 1, name: "demo") { [self] _, loop in
            serve(on: loop)
        } failed: { _ in
        }
        group.withLock { $0 = started }
    }

    /// Ends serving and waits for the thread.
    package func stop() {
        let mailbox = state.withLock { state in
            state.isStopped = true
            return state.mailbox
        }
        mailbox?.send { $0.stop() }
        group.withLock { $0.take() }?.join()
    }

    private func serve(on loop: EventLoop) {
        let site = DemonstrationSite()
        let connections = DemonstrationConnections(loop, site: site)
        if let descriptor = originBinding.take() { connections.listen(descriptor, as: .origin) }
        if let descriptor = parentBinding.take() { connections.listen(descriptor, as: .parent) }
        let isStopped = state.withLock { state in
            state.mailbox = loop.mailbox
            return state.isStopped
        }
        if !isStopped { loop.run() }
        connections.close()
    }
}
