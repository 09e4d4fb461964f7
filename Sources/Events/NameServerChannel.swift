internal import Bytes
internal import CAres
internal import CEvent
internal import Glibc

/// The loop's conversation with name servers, by c-ares: what it asks is answered in a later turn or at `deliver`.
@safe final class NameServerChannel {
    /// What one family of one name has.
    enum Outcome: Equatable {
        /// So many seconds hold these addresses, of which there is at least one.
        case found([IPAddress], seconds: Int)
        /// The name is there, but not for this family.
        case noAddress
        /// The name doesn't exist.
        case noName
        /// No server knew, or answered.
        case failed
    }

    /// A question's end.
    struct Answer {
        let number: UInt64
        let family: IPAddress.Family
        let outcome: Outcome
    }

    /// Kept out of the channel, since its end answers what is still open.
    private final class Answers {
        var list: [Answer] = []
    }

    private final class Question {
        let number: UInt64
        let family: IPAddress.Family
        let answers: Answers

        init(_ number: UInt64, _ family: IPAddress.Family, _ answers: Answers) {
            self.number = number
            self.family = family
            self.answers = answers
        }
    }

    /// What c-ares says of a question's end: a macro in some of its releases, an enumeration's case in others.
    fileprivate enum Status {
        static let success: Int32 = 0
        static let noData: Int32 = 1
        static let notFound: Int32 = 4
        static let badName: Int32 = 8
    }

    /// Allows a registration, which can't be copied, in a table.
    private final class Watch {
        let registration: EventRegistration

        init(_ registration: consuming EventRegistration) { self.registration = registration }
    }

    /// One packet may be lost without the asker giving up before the next.
    private static let timeout: Int32 = 1000
    private static let tries: Int32 = 3

    private let loop: EventLoop
    private let told: (Answer) -> Void
    private let answers = Answers()
    private var channel: OpaquePointer?
    private var sockets: [Int32: Watch] = [:]
    private var timer: EventRegistration?
    /// Put behind a name with fewer dots than `dots` [resolv.conf(5)].
    private(set) var searchDomains: [String] = []
    private(set) var dots = 1

    /// Opens a channel to `servers`, or to those of the file where there are none; nil where memory fails.
    init?(_ loop: EventLoop, servers: [SocketAddress], settings: String, told: @escaping (Answer) -> Void) {
        guard Self.isLibraryReady else { return nil }
        self.loop = loop
        self.told = told
        guard open(settings), use(servers) else {
            close()
            return nil
        }
        readSearchList()
    }

    deinit { close() }

    /// Once for the process, before any channel.
    private static let isLibraryReady = ares_library_init(ARES_LIB_INIT_ALL) == Status.success
}

// MARK: Setting up

extension NameServerChannel {
    private func open(_ settings: String) -> Bool {
        var options = unsafe ares_options()
        unsafe options.timeout = Self.timeout
        unsafe options.tries = Self.tries
        unsafe options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        unsafe options.sock_state_cb = { context, descriptor, reads, writes in
            guard let context = unsafe context else { return }
            let channel = unsafe Unmanaged<NameServerChannel>.fromOpaque(context).takeUnretainedValue()
            channel.watch(descriptor, reads: reads != 0, writes: writes != 0)
        }
        let mask =
            ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF
        // The hosts file is looked into by the resolver, which keeps it in memory.
        return unsafe "b".withCString { lookups in
            unsafe settings.withCString { path in
                unsafe options.lookups = UnsafeMutablePointer(mutating: lookups)
                unsafe options.resolvconf_path = UnsafeMutablePointer(mutating: path)
                return unsafe ares_init_options(&channel, &options, mask) == Status.success
            }
        }
    }

    private func use(_ servers: [SocketAddress]) -> Bool {
        guard !servers.isEmpty else { return true }
        let list = servers.map { "\(SocketAddress($0.address, port: $0.port == 0 ? 53 : $0.port))" }
        return unsafe ares_set_servers_ports_csv(channel, list.joined(separator: ",")) == Status.success
    }

    private func readSearchList() {
        var options = unsafe ares_options()
        var mask: Int32 = 0
        guard unsafe ares_save_options(channel, &options, &mask) == Status.success else { return }
        defer { unsafe ares_destroy_options(&options) }
        dots = unsafe Int(options.ndots)
        guard let domains = unsafe options.domains else { return }
        for index in 0..<(unsafe Int(options.ndomains)) {
            if let domain = unsafe domains[index] { searchDomains.append(unsafe String(cString: domain)) }
        }
    }

    private func close() {
        if let channel = unsafe channel { unsafe ares_destroy(channel) }
        unsafe channel = nil
        sockets.removeAll()
        timer = nil
    }
}

// MARK: Asking

extension NameServerChannel {
    /// Asks for one family of an absolute name, written without its trailing dot.
    func ask(_ name: String, _ family: IPAddress.Family, number: UInt64) {
        var hints = ares_addrinfo_hints()
        hints.ai_family = family == .v4 ? AF_INET : AF_INET6
        hints.ai_flags = ARES_AI_NOSORT
        let question = unsafe Unmanaged.passRetained(Question(number, family, answers)).toOpaque()
        unsafe ares_getaddrinfo(channel, name + ".", nil, &hints, questionEnded, question)
        waitForTime()
    }

    /// Tells what has been answered by now.
    func deliver() {
        while !answers.list.isEmpty {
            let list = answers.list
            answers.list = []
            for answer in list { told(answer) }
        }
    }

    fileprivate static func end(_ context: UnsafeMutableRawPointer, _ outcome: Outcome) {
        let question = unsafe Unmanaged<Question>.fromOpaque(context).takeRetainedValue()
        question.answers.list.append(
            Answer(number: question.number, family: question.family, outcome: outcome)
        )
    }

    private func watch(_ descriptor: Int32, reads: Bool, writes: Bool) {
        // Before another one is made for the same descriptor.
        sockets[descriptor] = nil
        guard reads || writes else { return }
        let registration = unsafe EventRegistration(
            loop,
            descriptor: descriptor,
            events: EV_PERSIST | (reads ? EV_READ : 0) | (writes ? EV_WRITE : 0),
            context: Unmanaged.passUnretained(self).toOpaque(),
            callback: serverReady
        )
        registration.add()
        sockets[descriptor] = Watch(registration)
    }

    fileprivate func process(reading: Int32, writing: Int32) {
        unsafe ares_process_fd(channel, reading, writing)
        waitForTime()
        deliver()
    }

    /// Has c-ares look again when its next packet is overdue.
    private func waitForTime() {
        var time = timeval()
        guard unsafe ares_timeout(channel, nil, &time) != nil else {
            timer = nil
            return
        }
        if timer == nil {
            timer = unsafe EventRegistration(
                loop,
                descriptor: -1,
                events: 0,
                context: Unmanaged.passUnretained(self).toOpaque(),
                callback: serverLate
            )
        }
        timer?.add(after: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000 + 1_000_000)
    }
}

private func serverReady(_ descriptor: Int32, _ events: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<NameServerChannel>.fromOpaque(context).takeUnretainedValue().process(
        reading: Int32(events) & EV_READ != 0 ? descriptor : ARES_SOCKET_BAD,
        writing: Int32(events) & EV_WRITE != 0 ? descriptor : ARES_SOCKET_BAD
    )
}

private func serverLate(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<NameServerChannel>.fromOpaque(context).takeUnretainedValue().process(
        reading: ARES_SOCKET_BAD,
        writing: ARES_SOCKET_BAD
    )
}

private func questionEnded(
    _ context: UnsafeMutableRawPointer?,
    _ status: Int32,
    _: Int32,
    _ result: UnsafeMutablePointer<ares_addrinfo>?
) {
    guard let context = unsafe context else { return }
    let outcome: NameServerChannel.Outcome =
        switch status {
        case NameServerChannel.Status.success: unsafe result.map { unsafe found($0) } ?? .noAddress
        case NameServerChannel.Status.noData: .noAddress
        case NameServerChannel.Status.notFound, NameServerChannel.Status.badName: .noName
        default: .failed
        }
    if let result = unsafe result { unsafe ares_freeaddrinfo(result) }
    unsafe NameServerChannel.end(context, outcome)
}

/// The addresses of an answer, and how long all of it holds, the aliases on the way too.
private func found(_ result: UnsafeMutablePointer<ares_addrinfo>) -> NameServerChannel.Outcome {
    var addresses: [IPAddress] = []
    var seconds = Int.max
    var node = unsafe result.pointee.nodes
    while let entry = unsafe node {
        seconds = unsafe min(seconds, Int(entry.pointee.ai_ttl))
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            let length = unsafe min(Int(entry.pointee.ai_addrlen), bytes.count)
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: length))
        }
        if let address = SocketAddress(storage)?.address, !addresses.contains(address) { addresses.append(address) }
        unsafe node = entry.pointee.ai_next
    }
    var alias = unsafe result.pointee.cnames
    while let entry = unsafe alias {
        seconds = unsafe min(seconds, Int(entry.pointee.ttl))
        unsafe alias = entry.pointee.next
    }
    return addresses.isEmpty ? .noAddress : .found(addresses, seconds: max(0, seconds))
}
