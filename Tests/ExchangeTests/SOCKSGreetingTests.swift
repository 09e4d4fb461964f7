import Bytes
import Testing

@testable import Exchange

/// SOCKS5 up to the request, as RFC 1928 and RFC 1929 have it.
@Suite struct SOCKSGreetingTests {
    private static let accepted: [UInt8] = [5, 0]

    private func conversation(_ parts: [[UInt8]], requiresLogin: Bool = false) -> [SOCKSGreeting.Step] {
        var greeting = SOCKSGreeting(requiresLogin: requiresLogin)
        return parts.map { greeting.next($0.span) }
    }

    private func request(_ bytes: [UInt8]) -> SOCKSGreeting.Step {
        conversation([[5, 1, 0], bytes])[1]
    }

    @Test("R-10 a client without login asks for a name or an address of either family")
    func addresses() {
        let name: [UInt8] = [5, 1, 0, 3, 6] + Array("a.test".utf8) + [1, 187]
        #expect(
            conversation([[5, 2, 2, 0], name + [9]])
                == [
                    .answer(consumed: 4, [5, 0]),
                    .connect(consumed: 13, authority: "a.test:443"),
                ]
        )
        let v4 = "192.0.2.7:80"
        #expect(request([5, 1, 0, 1, 192, 0, 2, 7, 0, 80]) == .connect(consumed: 10, authority: v4))
        let v6 = "[2001:db8::1]:80"
        let bytes: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
        #expect(request([5, 1, 0, 4] + bytes + [0, 80]) == .connect(consumed: 22, authority: v6))
    }

    @Test("R-10 what comes in pieces is waited for, and nothing is taken meanwhile")
    func pieces() {
        let greeting: [UInt8] = [5, 1, 0]
        for count in 0..<3 { #expect(conversation([Array(greeting.prefix(count))]) == [.needMore]) }
        let whole: [UInt8] = [5, 1, 0, 3, 6] + Array("a.test".utf8) + [1, 187]
        for count in 0..<whole.count { #expect(request(Array(whole.prefix(count))) == .needMore) }
    }

    @Test("R-10 where a login is required it is asked for, and who offers none is refused")
    func login() {
        let credentials: [UInt8] = [1, 4] + Array("user".utf8) + [2] + Array("pw".utf8)
        let steps = conversation([[5, 2, 0, 2], credentials, [5, 1, 0, 1, 192, 0, 2, 7, 0, 80]], requiresLogin: true)
        let request = SOCKSGreeting.Step.connect(consumed: 10, authority: "192.0.2.7:80")
        #expect(
            steps == [.answer(consumed: 4, [5, 2]), .login(consumed: 9, name: 2..<6, password: 7..<9), request]
        )
        for count in 0..<credentials.count {
            let steps = conversation([[5, 1, 2], Array(credentials.prefix(count))], requiresLogin: true)
            #expect(steps[1] == .needMore)
        }
        #expect(conversation([[5, 1, 0]], requiresLogin: true) == [.end([5, 255])])
        #expect(conversation([[5, 1, 2]]) == [.end([5, 255])])
        #expect(conversation([[5, 1, 2], [5, 1, 0]], requiresLogin: true)[1] == .end([1, 1]))
        #expect(SOCKSGreeting.loginAnswer(isRight: true) == [1, 0])
    }

    @Test(
        "R-10 other commands, address types, versions and names are refused by the reply that says so",
        arguments: [
            ([5, 2, 0, 1, 1, 2, 3, 4, 0, 80], 7), ([5, 3, 0, 1, 1, 2, 3, 4, 0, 80], 7),
            ([5, 1, 0, 2, 1, 2, 3, 4, 0, 80], 8), ([5, 1, 0, 3, 0, 0, 80], 1), ([5, 1, 0, 1, 1, 2, 3, 4, 0, 0], 1),
            ([5, 1, 0, 3, 3, 97, 32, 98, 0, 80], 1), ([5, 1, 0, 3, 3, 97, 13, 10, 0, 80], 1),
        ] as [([UInt8], UInt8)]
    )
    func refused(_ bytes: [UInt8], _ reply: UInt8) {
        #expect(request(bytes) == .end([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]))
    }

    @Test("R-10 what is no SOCKS5 gets no answer")
    func otherVersions() {
        #expect(conversation([[4, 1, 0, 80, 1, 2, 3, 4, 0]]) == [.end([])])
        #expect(conversation([Array("GET / HTTP/1.1".utf8)]) == [.end([])])
        #expect(request([4, 1, 0, 1, 1, 2, 3, 4, 0, 80]) == .end([]))
    }

    @Test("R-10 a failure is told by the reply nearest to it")
    func replies() {
        func reply(_ kind: ExchangeError.Kind) -> SOCKSReply {
            SOCKSReply(ExchangeError(kind, .upstream).response)
        }
        #expect(reply(.connectionRefused) == .connectionRefused && reply(.connectionTimedOut) == .timedOut)
        #expect(reply(.nameNotResolved) == .hostUnreachable && reply(.unreachable) == .networkUnreachable)
        #expect(reply(.loop) == .notAllowed && reply(.closedBeforeResponse) == .failed)
        #expect(SOCKSReply(.clientRefused) == .notAllowed)
    }
}
