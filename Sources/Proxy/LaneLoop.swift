internal import Events

/// What a lane's loop needs of the process to connect to servers.
struct ConnectingMeans: Sendable {
    let names: NameService
    let contexts: TLSContexts
    let ownAddresses: OwnAddresses

    func on(_ loop: EventLoop) throws(SystemError) -> DirectConnection.Means {
        DirectConnection.Means(
            loop: loop,
            resolver: try Resolver(loop, names),
            contexts: contexts,
            ownAddresses: ownAddresses
        )
    }
}

/// A lane's thread with a loop of its own, which takes messages up to the one by which it is told to end.
struct LaneLoop<Message: Sendable>: Sendable {
    let mailbox: Mailbox<Message>
    private let thread: SystemThread

    /// Starts the thread; `serve` is called on it once, and gives what takes the messages, `failed` where there can't be
    /// a loop after all.
    init(
        _ name: String,
        connectingBy means: ConnectingMeans,
        failed: @escaping @Sendable (SystemError) -> Void,
        serve: @escaping @Sendable (DirectConnection.Means, Mailbox<Message>) -> (Message) -> Void
    ) throws(SystemError) {
        let mailbox = try Mailbox<Message>()
        self.mailbox = mailbox
        thread = try SystemThread(name) {
            LaneSignal.blockSignals()
            do throws(SystemError) {
                let loop = try EventLoop()
                let receiver = loop.receive(from: mailbox, serve(try means.on(loop), mailbox))
                loop.run()
                withExtendedLifetime(receiver) {}
            } catch {
                failed(error)
            }
        }
    }

    /// Tells it the last message and waits for its end.
    func end(by last: Message) {
        mailbox.send(last)
        thread.join()
    }
}
