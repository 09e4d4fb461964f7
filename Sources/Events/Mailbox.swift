internal import CEvent
internal import Glibc

/// Messages from any thread to one loop, in the order they were sent.
///
/// The loop is woken only by a message that finds the box empty.
package final class Mailbox<Message: Sendable>: Sendable {
    private let queue = Locked<[Message]>([])
    private let wakeUp: Descriptor

    /// Makes an empty mailbox; fails where descriptors are used up.
    package init() throws(SystemError) {
        let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(.eventfd) }
        wakeUp = Descriptor(owning: descriptor)
    }

    /// Sends a message; never blocks longer than another sender's append.
    package func send(_ message: Message) {
        let wasEmpty = queue.withLock { queue in
            queue.append(message)
            return queue.count == 1
        }
        if wasEmpty { _ = eventfd_write(wakeUp.rawValue, 1) }
    }

    var descriptor: Int32 { wakeUp.rawValue }

    /// Puts what was sent into `messages`, which has to be empty and whose capacity is used again.
    func take(into messages: inout [Message]) {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(wakeUp.rawValue, &count)
        // Handing the emptied array back keeps both warm.
        queue.withLock { queue in swap(&queue, &messages) }
    }
}

/// The end of a mailbox on its loop; delivers as long as it lives.
package final class MailReceiver<Message: Sendable> {
    private let mailbox: Mailbox<Message>
    private let body: (Message) -> Void
    private var messages: [Message] = []
    private var registration: EventRegistration?
    private let owner = MailOwner()

    init(_ mailbox: Mailbox<Message>, loop: EventLoop, _ body: @escaping (Message) -> Void) {
        self.mailbox = mailbox
        self.body = body
        owner.deliver = { [unowned self] in self.deliver() }
        // The registration goes before the owner, which this object holds.
        registration = unsafe EventRegistration(
            loop,
            descriptor: mailbox.descriptor,
            events: EV_READ | EV_PERSIST,
            context: Unmanaged.passUnretained(owner).toOpaque(),
            callback: mailArrived
        )
        registration?.add()
    }

    private func deliver() {
        mailbox.take(into: &messages)
        // Taken out, since a message's work may end the receiver or run the loop.
        var taken: [Message] = []
        swap(&taken, &messages)
        for message in taken { body(message) }
        taken.removeAll(keepingCapacity: true)
        if messages.isEmpty { swap(&taken, &messages) }
    }
}

/// What the C callback can recover: a class without type parameters.
private final class MailOwner {
    var deliver: () -> Void = {}
}

private func mailArrived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<MailOwner>.fromOpaque(context).takeUnretainedValue().deliver()
}
