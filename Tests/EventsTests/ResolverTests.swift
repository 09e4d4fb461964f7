import Bytes
import Glibc
import Testing

@testable import Events

@Suite struct ResolverTests {
    /// What the resolver says in the end.
    private func resolve(_ resolver: Resolver, _ loop: EventLoop, _ host: String) -> ResolverThreads.Answer? {
        var answer: ResolverThreads.Answer?
        switch resolver.resolve(host, within: .seconds(5), { answer = $0 }) {
        case .known(let known): return known
        case .pending:
            _ = run(loop) { answer != nil }
            return answer
        }
    }

    @Test("a literal address is known at once", arguments: ["127.0.0.1", "::1", "2001:db8::7"])
    func literal(host: String) throws {
        let loop = try EventLoop()
        let resolver = try Resolver(loop, threads: ResolverThreads { _ in .failure(.failed) })
        guard case .known(.success(let addresses)) = resolver.resolve(host, within: .seconds(1), { _ in }) else {
            Issue.record("not known at once")
            return
        }
        #expect(addresses.map(\.description) == [host])
    }

    @Test("H-11 localhost is resolved by the system, to loopback addresses, each once")
    func localhost() throws {
        let loop = try EventLoop()
        let resolver = try Resolver(loop, threads: ResolverThreads())
        let addresses = try #require(resolve(resolver, loop, "localhost")).get()
        #expect(!addresses.isEmpty && addresses.allSatisfy(\.isLoopback))
        #expect(Set(addresses).count == addresses.count)
    }

    @Test("an unknown name and a failing system resolver are told apart from each other's kind")
    func unknown() throws {
        let loop = try EventLoop()
        let system = try Resolver(loop, threads: ResolverThreads())
        // RFC 6761: never a name; without a name server it is the lookup that fails.
        let answer = try #require(resolve(system, loop, "no-such-host.invalid"))
        #expect(answer == .failure(.notFound) || answer == .failure(.failed))
        let scripted = try Resolver(loop, threads: ResolverThreads { _ in .failure(.notFound) })
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
        let resolver = try Resolver(loop, threads: threads)
        var answers = 0
        for _ in 0..<10 { _ = resolver.resolve("a.example", within: .seconds(5)) { _ in answers += 1 } }
        #expect(run(loop) { answers == 10 })
        guard case .known(.success([.loopbackV4])) = resolver.resolve("a.example", within: .seconds(5), { _ in }) else {
            Issue.record("not remembered")
            return
        }
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
        let resolver = try Resolver(loop, threads: threads)
        var answer: ResolverThreads.Answer?
        var cancelled = 0
        _ = resolver.resolve("slow.example", within: .milliseconds(100)) { answer = $0 }
        if case .pending(let query) = resolver.resolve("slow.example", within: .seconds(5), { _ in cancelled += 1 }) {
            query.cancel()
        }
        #expect(run(loop) { answer != nil })
        #expect(answer == .failure(.timedOut))
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
        let resolver = try Resolver(loop, threads: threads)
        var answers = 0
        var refused = 0
        for number in 0..<2000 {
            switch resolver.resolve("h\(number).example", within: .seconds(60), { _ in answers += 1 }) {
            case .known(.failure(.busy)): refused += 1
            default: break
            }
        }
        #expect((970...976).contains(refused))
        gate.withLock { $0 = true }
        #expect(run(loop) { answers + refused == 2000 })
    }
}
