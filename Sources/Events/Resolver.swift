package import Bytes

/// A loop's way to the addresses of names, without blocking; equal names under way are asked for once.
package final class Resolver {
    /// What can be said at once.
    package enum Resolution {
        /// The whole answer; nothing more is told.
        case known(NameAnswer)
        /// The observer will be told, unless the query is cancelled.
        case pending(Query)
    }

    /// How many names may be under way.
    private static let mostNames = 1024
    /// How often the system's files are looked at.
    private static let fileInterval: Nanoseconds = .seconds(3)

    private struct Reply: Sendable {
        let host: String
        let answer: ResolverThreads.Answer
    }

    let loop: EventLoop
    private let service: NameService
    private let mailbox: Mailbox<Reply>
    private var receiver: MailReceiver<Reply>?
    private var cache = NameCache()
    private var underWay: [String: NameLookup] = [:]
    private var lookups: [UInt64: NameLookup] = [:]
    private var lastNumber: UInt64 = 0
    private var setting: NameService.Setting
    private var channel: NameServerChannel?
    private var hosts = HostsFile()
    private var hostsFile: WatchedFile
    private var settingsFile: WatchedFile
    private var nextLook = Instant(nanoseconds: 0)

    /// Makes the resolver of a loop; fails where descriptors are used up.
    package init(_ loop: EventLoop, _ service: NameService) throws(SystemError) {
        self.loop = loop
        self.service = service
        setting = service.setting
        hostsFile = WatchedFile(service.files.hosts)
        settingsFile = WatchedFile(service.files.settings)
        mailbox = try Mailbox()
        receiver = loop.receive(from: mailbox) { [unowned self] reply in answered(reply) }
    }

    /// Looks up `host`: a literal address (without brackets), a name of this machine or a remembered one at once, else
    /// within `limit`.
    ///
    /// `told` is called for each family that is answered, up to the whole answer. The deadline frees the asker with
    /// what there is by then; the question goes on and is remembered.
    package func resolve(
        _ host: String,
        within limit: Nanoseconds,
        _ told: @escaping (NameAnswer) -> Void
    ) -> Resolution {
        switch NameForm(host) {
        case .address(let address): return .known(NameAnswer(addresses: [address]))
        case .localhost: return .known(NameAnswer(addresses: [.loopbackV6, .loopbackV4]))
        case .nothing: return .known(NameAnswer(addresses: [], error: .notFound))
        case .name: break
        }
        refresh()
        if let known = cache.answer(for: host, at: loop.now) { return .known(known) }
        guard let lookup = underWay[host] ?? begin(host) else {
            return .known(NameAnswer(addresses: [], error: .busy))
        }
        // It may have been answered at once.
        if lookup.answer.isWhole { return .known(lookup.answer) }
        lastNumber += 1
        let query = Query(lookup, lastNumber, loop, told)
        lookup.queries[lastNumber] = query
        query.start(until: loop.now.adding(nanoseconds: limit))
        return .pending(query)
    }

    /// Forgets what it remembers.
    package func forgetAll() {
        cache = NameCache()
        nextLook = Instant(nanoseconds: 0)
    }

    // MARK: settings

    /// Follows what changed in the configuration and in the system's files.
    private func refresh() {
        let now = service.setting
        let isChanged = now.version != setting.version
        setting = now
        guard isChanged || now.kind != .system && loop.now >= nextLook else { return }
        if isChanged {
            channel = nil
            cache = NameCache()
        }
        guard case .nameServers(let servers) = now.kind else { return }
        nextLook = loop.now.adding(nanoseconds: Self.fileInterval)
        if hostsFile.hasChanged() {
            hosts = HostsFile(hostsFile.read())
            cache = NameCache()
        }
        if settingsFile.hasChanged() || channel == nil {
            // What is under way goes on with the channel that it began with.
            channel = NameServerChannel(loop, servers: servers, settings: settingsFile.path) { [unowned self] in
                answered($0)
            }
            cache = NameCache()
        }
    }

    // MARK: asking

    /// nil where too many names are under way.
    private func begin(_ host: String) -> NameLookup? {
        guard underWay.count < Self.mostNames else { return nil }
        let lookup = NameLookup(host)
        if setting.kind == .system {
            let mailbox = mailbox
            let isTaken = service.threads.ask(.init(host: host) { mailbox.send(Reply(host: host, answer: $0)) })
            guard isTaken else { return nil }
            underWay[host] = lookup
        } else {
            underWay[host] = lookup
            ask(lookup)
        }
        return lookup
    }

    /// Asks the name servers for the next form of the name, unless the hosts file has it.
    private func ask(_ lookup: NameLookup) {
        let host = lookup.host.utf8.last == UInt8(ascii: ".") ? String(lookup.host.dropLast()) : lookup.host
        if let addresses = hosts.addresses(of: host) {
            return finish(lookup, NameAnswer(addresses: ordered(addresses)))
        }
        guard let channel else { return finish(lookup, NameAnswer(addresses: [], error: .failed)) }
        if lookup.forms.isEmpty { lookup.forms = Self.forms(of: lookup.host, channel) }
        lookup.channel = channel
        lastNumber += 1
        lookup.begin(lastNumber)
        lookups[lastNumber] = lookup
        // IPv6 first, since its answer is worth waiting for [RFC 8305 s.3].
        channel.ask(lookup.forms[lookup.form], .v6, number: lastNumber)
        channel.ask(lookup.forms[lookup.form], .v4, number: lastNumber)
        channel.deliver()
    }

    /// The absolute names that are asked for in turn: with a dot at its end it is one, and so it is taken where it has
    /// as many dots as resolv.conf wants; else the search domains come first.
    private static func forms(of host: String, _ channel: NameServerChannel) -> [String] {
        if host.utf8.last == UInt8(ascii: ".") { return [String(host.dropLast())] }
        let dots = host.utf8.count { $0 == UInt8(ascii: ".") }
        return dots >= channel.dots ? [host] : channel.searchDomains.map { "\(host).\($0)" } + [host]
    }

    private func answered(_ part: NameServerChannel.Answer) {
        guard let lookup = lookups[part.number] else { return }
        lookup.take(part)
        guard lookup.isAnswered else { return tell(lookup, lookup.parts(order: ordered)) }
        lookups[part.number] = nil
        if lookup.hasNoAddress, lookup.form + 1 < lookup.forms.count {
            lookup.form += 1
            return ask(lookup)
        }
        let answer = lookup.parts(order: ordered)
        if answer.error == nil || answer.error == .notFound {
            cache.remember(lookup.host, answer, seconds: lookup.seconds, at: loop.now)
        }
        finish(lookup, answer)
    }

    private func answered(_ reply: Reply) {
        let answer: NameAnswer
        switch reply.answer {
        case .success(let addresses): answer = NameAnswer(addresses: addresses)
        case .failure(let error): answer = NameAnswer(addresses: [], error: error)
        }
        if answer.error == nil || answer.error == .notFound {
            cache.remember(reply.host, answer, seconds: nil, at: loop.now)
        }
        if let lookup = underWay[reply.host] { finish(lookup, answer) }
    }

    private func finish(_ lookup: NameLookup, _ answer: NameAnswer) {
        if underWay[lookup.host] === lookup { underWay[lookup.host] = nil }
        tell(lookup, answer)
    }

    private func tell(_ lookup: NameLookup, _ answer: NameAnswer) {
        lookup.answer = answer
        for query in Array(lookup.queries.values) { query.tell(answer) }
    }

    /// By the kernel's word, which is asked only where there is a choice.
    private func ordered(_ addresses: [IPAddress]) -> [IPAddress] {
        FamilyPreference.join(
            v6: addresses.filter { $0.family == .v6 },
            v4: addresses.filter { $0.family == .v4 },
            FamilyPreference.source
        )
    }
}
