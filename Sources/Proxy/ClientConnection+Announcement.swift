internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import TLS

/// What comes before a connection's first request, or in its place, where its listener isn't a proxy's.
enum Announcement {
    /// SOCKS5 up to its request.
    case socks(SOCKSGreeting)
    /// The same, while its login is looked at under this number.
    case loggingIn(SOCKSGreeting, number: UInt64)
    /// The first bytes of a connection that was going to this address; `needs` so many before another look.
    case redirected(Redirection, needs: Int)
}

extension ClientConnection {
    /// What a connection is taken for; it stays that, whatever a reload says.
    func begin(under mode: ListenerConfiguration.Mode) {
        reachesNamedDestination = mode.namesDestination
        switch mode {
        case .forward:
            break
        case .fixed(let origin):
            addressing = .fixed(FixedService(origin, port: stream.localAddress?.port))
        case .tunnel(let target):
            asking = .nothing
            join(target.authorityWithPort)
        case .socks5:
            let requiresLogin = worker.policy.logins[listener] != nil
            asking = .socks
            announcement = .socks(SOCKSGreeting(requiresLogin: requiresLogin))
            machine.announcementExpected()
        case .transparent:
            beginRedirected()
        }
    }

    private func beginRedirected() {
        guard let original = stream.originalDestination,
            !worker.shared.ownAddresses.contains(original.address, port: original.port)
        else {
            worker.shared.log.warn("proxy.loop: a connection came to a transparent listener without being redirected")
            return cutShort()
        }
        asking = .nothing
        announcement = .redirected(Redirection(address: original.address, port: original.port), needs: 1)
        machine.announcementExpected()
        // Of some protocols the server speaks first.
        setDeadline(.seconds(1))
    }

    /// Where it was going, as long as it hasn't been opened, and names what it wants itself.
    var redirection: Redirection? {
        guard opened == nil else { return nil }
        if case .redirected(let redirection) = addressing { return redirection }
        if case .redirected(let redirection, _)? = announcement { return redirection }
        return nil
    }

    /// Takes what it can of the first bytes; nil where more have to come, or none.
    func announce(_ bytes: Span<UInt8>) -> Int? {
        switch announcement {
        case .socks(let greeting): greet(greeting, bytes)
        case .redirected(let redirection, let needs) where bytes.count >= needs: look(redirection, bytes)
        case .redirected, .loggingIn, nil: nil
        }
    }

    /// Nothing that could be read came in time, or at all.
    func announcementEnded() {
        guard case .redirected(let redirection, _)? = announcement, hasUnread || !isEndOfFileSeen else {
            return close()
        }
        join(Self.authority(redirection.address.description, redirection.port))
    }

    // MARK: the kernel's

    private func look(_ redirection: Redirection, _ bytes: Span<UInt8>) -> Int? {
        switch RequestOpening.read(bytes) {
        case .request:
            announcement = nil
            addressing = .redirected(redirection)
            asking = .connect
            setDeadline(worker.timeouts.requestHead)
            machine.announced()
            return 0
        case .incomplete:
            return waitForMore(than: bytes.count, redirection)
        case .other:
            break
        }
        switch ClientHello.read(bytes) {
        case .incomplete(let needs):
            return waitForMore(than: needs - 1, redirection)
        case .other:
            join(Self.authority(redirection.address.description, redirection.port))
        case .complete(let hello):
            join(Self.authority(hello.serverName ?? redirection.address.description, redirection.port))
        }
        return 0
    }

    /// What comes in pieces has longer than silence.
    private func waitForMore(than count: Int, _ redirection: Redirection) -> Int? {
        if case .redirected(_, needs: 1)? = announcement { setDeadline(worker.timeouts.handshake) }
        announcement = .redirected(redirection, needs: count + 1)
        return nil
    }

    private static func authority(_ host: String, _ port: UInt16) -> String {
        Origin(scheme: .https, host: host, port: port).authorityWithPort
    }

    // MARK: SOCKS5

    private func greet(_ greeting: SOCKSGreeting, _ bytes: Span<UInt8>) -> Int? {
        var greeting = greeting
        switch greeting.next(bytes) {
        case .needMore:
            return nil
        case .answer(let consumed, let answer):
            announcement = .socks(greeting)
            send(answer.span, Span())
            return consumed
        case .login(let consumed, let name, let password):
            let name = name.map { bytes[$0] }
            logIn(name, Secret(bytes.extracting(password)), behind: greeting)
            return consumed
        case .connect(let consumed, let authority):
            announcement = nil
            join(authority)
            return consumed
        case .end(let answer):
            end(with: answer)
            return bytes.count
        }
    }

    private func logIn(_ name: [UInt8], _ password: Secret, behind greeting: SOCKSGreeting) {
        guard let file = worker.policy.logins[listener], mayLogIn else { return loggedIn(.wrong, behind: greeting) }
        var number: UInt64 = 0
        let known = worker.judgeLogin(
            name: name,
            password: password,
            by: file,
            from: identity,
            number: &number
        ) { [self] verdict in
            loggedIn(verdict, behind: greeting)
            resumeInput()
        }
        announcement = .loggingIn(greeting, number: number)
        if let known { loggedIn(known, behind: greeting) }
    }

    private func loggedIn(_ verdict: LoginVerifier.Verdict, behind greeting: SOCKSGreeting) {
        guard case .right(let name) = verdict else {
            return end(with: SOCKSGreeting.loginAnswer(isRight: false))
        }
        logIn(name)
        announcement = .socks(greeting)
        send(SOCKSGreeting.loginAnswer(isRight: true).span, Span())
    }

    /// Nothing follows the answer any more.
    private func end(with answer: [UInt8]) {
        forgetAnnouncement()
        machine.requestMalformed()
        if !answer.isEmpty { send(answer.span, Span()) }
        exchangeEnded(keepsAlive: false)
    }

    /// Nothing of it is waited for any more.
    func forgetAnnouncement() {
        if case .loggingIn(_, let number)? = announcement { worker.forgetLogin(number) }
        announcement = nil
    }

    // MARK: the tunnel

    /// Asks for a tunnel in the client's place, by a CONNECT that the exchange takes for its own.
    private func join(_ authority: String) {
        let head = Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
        machine.announced()
        machine.headBegan()
        let runner = worker.makeRunner(for: self)
        self.runner = runner
        switch runner.exchange.parseRequest(head.span, worker.policy) {
        case .head(_, let outline):
            headReceived(outline, runner)
        case .failed(let error):
            machine.requestMalformed()
            runner.refuse(LocalResponse(malformed: error))
        case .needMore:
            machine.requestMalformed()
            runner.refuse(.misdirected)
        }
    }
}
