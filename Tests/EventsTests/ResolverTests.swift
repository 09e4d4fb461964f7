import Bytes
import Glibc
import Testing

@testable import Events

extension NameAnswer {
    /// The answer in one word: the addresses, or why there are none.
    var result: Result<[IPAddress], ResolverError> {
        if let error { return .failure(error) }
        return .success(addresses)
    }
}

/// What the resolver says in the end.
func resolve(
    _ resolver: Resolver,
    _ loop: EventLoop,
    _ host: String,
    within limit: Nanoseconds = .seconds(8)
) -> Result<[IPAddress], ResolverError>? {
    var answer: NameAnswer?
    switch resolver.resolve(host, within: limit, { if $0.isWhole { answer = $0 } }) {
    case .known(let known): return known.result
    case .pending:
        _ = run(loop) { answer != nil }
        return answer?.result
    }
}

@Suite struct ResolverTests {
    @Test("a literal address is known at once", arguments: ["127.0.0.1", "::1", "2001:db8::7"])
    func literal(host: String) throws {
        let loop = try EventLoop()
        let resolver = try Resolver(loop, NameService(.system, threads: ResolverThreads { _ in .failure(.failed) }))
        guard case .known(let answer) = resolver.resolve(host, within: .seconds(1), { _ in }) else {
            Issue.record("not known at once")
            return
        }
        #expect(answer.addresses.map(\.description) == [host])
    }

    @Test("H-11 localhost is this machine, whoever is asked", arguments: ["localhost", "a.localhost", "localhost."])
    func localhost(host: String) throws {
        let loop = try EventLoop()
        let resolver = try Resolver(loop, NameService(.system, threads: ResolverThreads { _ in .failure(.failed) }))
        #expect(resolve(resolver, loop, host) == .success([.loopbackV6, .loopbackV4]))
    }

    @Test(
        "R-7 what the system would read as an address, and is none of ours, is no name",
        arguments: [
            "0x7f.1", "2130706433", "127.1", "0177.0.0.1", "fe80::1%eth0", "a%eth0", "127.0.0.1.", "1.2.3.4.5", "",
        ]
    )
    func oddSpelling(host: String) throws {
        let loop = try EventLoop()
        let threads = ResolverThreads { _ in .success([.loopbackV4]) }
        let resolver = try Resolver(loop, NameService(.system, threads: threads))
        #expect(resolve(resolver, loop, host) == .failure(.notFound))
    }

    @Test("an unknown name and a failing system resolver are told apart from each other's kind")
    func unknown() throws {
        let loop = try EventLoop()
        let system = try Resolver(loop, NameService(.system))
        // RFC 6761: never a name; without a name server it is the lookup that fails.
        let answer = try #require(resolve(system, loop, "no-such-host.invalid"))
        #expect(answer == .failure(.notFound) || answer == .failure(.failed))
        let scripted = try Resolver(loop, NameService(.system, threads: ResolverThreads { _ in .failure(.notFound) }))
        #expect(resolve(scripted, loop, "gone.example") == .failure(.notFound))
    }

    @Test("names under way and names known are looked up once")
    func once() throws {
        let loop = try EventLoop()
        let asked = Locked(0)
        let threads = ResolverThreads { _ in
            asked.withLock { $0 += 1 }
            usleep(20_000)
            return .success([.loopbackV4])
        }
        let resolver = try Resolver(loop, NameService(.system, threads: threads))
        var answers = 0
        for _ in 0..<10 { _ = resolver.resolve("a.example", within: .seconds(5)) { _ in answers += 1 } }
        #expect(run(loop) { answers == 10 })
        guard case .known(let known) = resolver.resolve("a.example", within: .seconds(5), { _ in }) else {
            Issue.record("not remembered")
            return
        }
        #expect(known == NameAnswer(addresses: [.loopbackV4]))
        #expect(asked.withLock { $0 } == 1)
        resolver.forgetAll()
        #expect(resolve(resolver, loop, "a.example") == .success([.loopbackV4]))
        #expect(asked.withLock { $0 } == 2)
    }

    @Test("a deadline frees the asker, and a cancelled query is told nothing")
    func timeout() throws {
        let loop = try EventLoop()
        let gate = Locked(false)
        let threads = ResolverThreads(atMost: 1) { _ in
            while !gate.withLock({ $0 }) { usleep(1000) }
            return .success([.loopbackV6])
        }
        let resolver = try Resolver(loop, NameService(.system, threads: threads))
        var answer: NameAnswer?
        var cancelled = 0
        _ = resolver.resolve("slow.example", within: .milliseconds(100)) { answer = $0 }
        if case .pending(let query) = resolver.resolve("slow.example", within: .seconds(5), { _ in cancelled += 1 }) {
            query.cancel()
        }
        #expect(run(loop) { answer != nil })
        #expect(answer?.result == .failure(.timedOut))
        gate.withLock { $0 = true }
        #expect(resolve(resolver, loop, "slow.example") == .success([.loopbackV6]))
        #expect(cancelled == 0)
        #expect(loop.deadlines.count == 0)
    }

    @Test("S-2 more names than may wait are refused")
    func busy() throws {
        let loop = try EventLoop()
        let gate = Locked(false)
        let threads = ResolverThreads(atMost: 2) { _ in
            while !gate.withLock({ $0 }) { usleep(1000) }
            return .failure(.failed)
        }
        let resolver = try Resolver(loop, NameService(.system, threads: threads))
        var answers = 0
        var refused = 0
        for number in 0..<2000 {
            switch resolver.resolve("h\(number).example", within: .seconds(60), { _ in answers += 1 }) {
            case .known(let answer) where answer.error == .busy: refused += 1
            default: break
            }
        }
        #expect(refused == 2000 - 1024)
        gate.withLock { $0 = true }
        #expect(run(loop) { answers + refused == 2000 })
    }
}
