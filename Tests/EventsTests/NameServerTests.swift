import Bytes
import Glibc
import Support
import Testing

@testable import Events

/// Names that a server of the tests' own answers for, asked on the loop.
@Suite struct NameServerTests {
    private let loop: EventLoop
    private let folder: ScratchFolder

    init() throws {
        loop = try EventLoop()
        folder = try ScratchFolder("names")
        try folder.write("127.0.0.9 listed.example other.example # 127.0.0.8\n", to: "hosts")
        try folder.write("search one.example two.example\n", to: "resolv.conf")
    }

    private func resolver(_ server: NameServer) throws -> Resolver {
        let place = SocketAddress(.loopbackV4, port: server.port)
        let files = NameService.Files(hosts: folder("hosts"), settings: folder("resolv.conf"))
        return try Resolver(loop, NameService(.nameServers([place]), files: files))
    }

    private func addresses(_ texts: String...) -> Result<[IPAddress], ResolverError> {
        .success(texts.compactMap { IPAddress($0) })
    }

    @Test("H-11 names have the addresses that their servers give, through aliases, or none")
    func plain() throws {
        let server = try NameServer([
            "four.example": .init(a: ["127.0.0.2", "127.0.0.3"]),
            "six.example": .init(aaaa: ["::1"]),
            "alias.example": .init { $0.cname = "four.example" },
            "broken.example": .init { $0.rcode = 2 },
            "empty.example": .init(),
            "lying.example": .init(a: ["127.0.0.2"]) { $0.noName = "aaaa" },
        ])
        let resolver = try resolver(server)
        #expect(resolve(resolver, loop, "four.example") == addresses("127.0.0.2", "127.0.0.3"))
        #expect(resolve(resolver, loop, "six.example") == addresses("::1"))
        #expect(resolve(resolver, loop, "alias.example") == addresses("127.0.0.2", "127.0.0.3"))
        #expect(resolve(resolver, loop, "lying.example") == addresses("127.0.0.2"))
        #expect(resolve(resolver, loop, "gone.example") == .failure(.notFound))
        #expect(resolve(resolver, loop, "empty.example") == .failure(.notFound))
        #expect(resolve(resolver, loop, "broken.example") == .failure(.failed))
        #expect(loop.deadlines.count == 0)
    }

    @Test("H-11 a lost datagram is sent again, and an answer that is cut is fetched by TCP")
    func lost() throws {
        let server = try NameServer([
            "lost.example": .init(a: ["127.0.0.2"]) { $0.lose = 1 },
            "large.example": .init(a: (1...60).map { "127.0.1.\($0)" }) { $0.truncate = true },
        ])
        let resolver = try resolver(server)
        #expect(resolve(resolver, loop, "lost.example") == addresses("127.0.0.2"))
        let large = try #require(resolve(resolver, loop, "large.example")).get()
        #expect(large.count == 60)
        #expect(server.questions.contains("tcp a large.example"))
    }

    @Test(
        "H-11 IPv6 that is slow or silent doesn't hold up IPv4, and who waits for all of it gets what there is in time"
    )
    func slowFamily() throws {
        let server = try NameServer([
            "slow.example": .init(a: ["127.0.0.2"], aaaa: ["::1"]) { $0.delay = ["aaaa": 0.4] },
            "silent.example": .init(a: ["127.0.0.2"]) { $0.silent = "aaaa" },
        ])
        let resolver = try resolver(server)
        var told: [NameAnswer] = []
        _ = resolver.resolve("slow.example", within: .seconds(5)) { told.append($0) }
        #expect(run(loop) { !told.isEmpty })
        #expect(told == [NameAnswer(addresses: [IPAddress(v4: 0x7f00_0002)], isWhole: false)])
        #expect(run(loop) { told.count == 2 })
        #expect(told.last?.isWhole == true)
        #expect(told.last?.addresses.count == 2)
        let began = ContinuousClock.now
        #expect(resolve(resolver, loop, "silent.example", within: .milliseconds(300)) == addresses("127.0.0.2"))
        #expect(ContinuousClock.now - began < .seconds(2))
    }

    @Test("H-11 a name that hangs frees its asker, and others are answered meanwhile")
    func hanging() throws {
        let server = try NameServer([
            "hang.example": .init(a: ["127.0.0.2"]) { $0.delay = ["a": 2, "aaaa": 2] },
            "fast.example": .init(a: ["127.0.0.3"]),
        ])
        let resolver = try resolver(server)
        var late: NameAnswer?
        _ = resolver.resolve("hang.example", within: .milliseconds(500)) { late = $0 }
        let began = ContinuousClock.now
        #expect(resolve(resolver, loop, "fast.example") == addresses("127.0.0.3"))
        #expect(ContinuousClock.now - began < .milliseconds(400))
        #expect(run(loop) { late != nil })
        #expect(late?.result == .failure(.timedOut))
        #expect(resolve(resolver, loop, "hang.example") == addresses("127.0.0.2"))
        #expect(server.questions.count { $0 == "udp a hang.example" } <= 2)
    }

    @Test("H-11 an answer holds as long as its server says, equal names under way are asked for once")
    func lifetime() throws {
        let server = try NameServer([
            "short.example": .init {
                $0.a = [["127.0.0.2"], ["127.0.0.3"]]
                $0.ttl = 0
            },
            "alias.example": .init {
                $0.cname = "short.example"
                $0.ttl = 600
            },
            "brief.example": .init {
                $0.cname = "stable.example"
                $0.ttl = 0
            },
            "stable.example": .init(a: ["127.0.0.2"]),
            "long.example": .init(a: ["127.0.0.2"]) { $0.delay = ["a": 0.2] },
        ])
        let resolver = try resolver(server)
        #expect(resolve(resolver, loop, "short.example") == addresses("127.0.0.2"))
        #expect(resolve(resolver, loop, "short.example") == addresses("127.0.0.2"))
        #expect(resolve(resolver, loop, "gone.example") == .failure(.notFound))
        #expect(resolve(resolver, loop, "gone.example") == .failure(.notFound))
        #expect(server.questions.count { $0 == "udp a gone.example" } == 1)
        #expect(resolve(resolver, loop, "alias.example") == addresses("127.0.0.2"))
        #expect(resolve(resolver, loop, "brief.example") == addresses("127.0.0.2"))
        run(loop, milliseconds: 1100)
        // What it leads to holds for a minute, but not the alias.
        _ = resolve(resolver, loop, "brief.example")
        #expect(server.questions.count { $0 == "udp a brief.example" } == 2)
        #expect(resolve(resolver, loop, "short.example") == addresses("127.0.0.3"))
        // Its alias holds for ten minutes, but not what that leads to.
        _ = resolve(resolver, loop, "alias.example")
        #expect(server.questions.count { $0 == "udp a alias.example" } == 2)
        var answers = 0
        for _ in 0..<5 { _ = resolver.resolve("long.example", within: .seconds(5)) { answers += $0.isWhole ? 1 : 0 } }
        #expect(run(loop) { answers == 5 })
        #expect(server.questions.count { $0 == "udp a long.example" } == 1)
    }

    @Test("H-11 the hosts file goes first, and search domains stand behind a name without a dot")
    func files() throws {
        let server = try NameServer([
            "listed.example": .init(a: ["127.0.0.2"]),
            "short.two.example": .init(a: ["127.0.0.3"]),
            "short": .init(a: ["127.0.0.4"]),
            "a.b.one.example": .init(a: ["127.0.0.5"]),
        ])
        let resolver = try resolver(server)
        #expect(resolve(resolver, loop, "listed.example") == addresses("127.0.0.9"))
        #expect(resolve(resolver, loop, "other.example") == addresses("127.0.0.9"))
        #expect(resolve(resolver, loop, "short") == addresses("127.0.0.3"))
        #expect(resolve(resolver, loop, "short.") == addresses("127.0.0.4"))
        #expect(resolve(resolver, loop, "a.b") == .failure(.notFound))
        #expect(!server.questions.contains { $0.hasSuffix("listed.example") })
    }

    @Test("H-11 changed files are read again")
    func changedFiles() throws {
        let server = try NameServer(["short.three.example": .init(a: ["127.0.0.3"])])
        let resolver = try resolver(server)
        #expect(resolve(resolver, loop, "short") == .failure(.notFound))
        try folder.write("127.0.0.7 fresh.example\n127.0.0.6 listed.example", to: "hosts")
        try folder.write("search three.example\n", to: "resolv.conf")
        resolver.forgetAll()
        #expect(resolve(resolver, loop, "fresh.example") == addresses("127.0.0.7"))
        #expect(resolve(resolver, loop, "listed.example") == addresses("127.0.0.6"))
        #expect(resolve(resolver, loop, "short") == addresses("127.0.0.3"))
    }

    @Test("H-11 without a server that answers there is an error in time, and no turn is lost to it")
    func noServer() throws {
        let server = try NameServer([:])
        server.process.stop()
        let resolver = try resolver(server)
        let answer = resolve(resolver, loop, "a.example", within: .seconds(2))
        #expect(answer == .failure(.failed) || answer == .failure(.timedOut))
    }

    @Test("H-11 other servers are asked from the change on")
    func changedService() throws {
        let first = try NameServer(["a.example": .init(a: ["127.0.0.2"])])
        let second = try NameServer(["a.example": .init(a: ["127.0.0.3"])])
        let places = [first, second].map { SocketAddress(.loopbackV4, port: $0.port) }
        let files = NameService.Files(hosts: folder("hosts"), settings: folder("resolv.conf"))
        let service = NameService(.nameServers([places[0]]), files: files)
        let resolver = try Resolver(loop, service)
        #expect(resolve(resolver, loop, "a.example") == addresses("127.0.0.2"))
        service.change(to: .nameServers([places[1]]))
        #expect(resolve(resolver, loop, "a.example") == addresses("127.0.0.3"))
    }
}
