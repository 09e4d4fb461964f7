import Bytes
import Glibc
import Testing

@testable import Events

@Suite struct ConnectionRaceTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func after(_ milliseconds: UInt64) -> Instant { start.adding(nanoseconds: .milliseconds(milliseconds)) }

    private func v4(_ number: UInt32) -> IPAddress { IPAddress(v4: 0xc000_0200 + number) }

    private func v6(_ number: UInt64) -> IPAddress { IPAddress(v6: 0x2001_0db8_0000_0000, number) }

    /// Has every attempt fail at once, and notes the addresses.
    private func order(_ race: inout ConnectionRace) -> [IPAddress] {
        var order: [IPAddress] = []
        while case .connect(let address, let attempt) = race.next(at: start) {
            order.append(address)
            race.failed(attempt, SystemError(.connect, code: ECONNREFUSED))
        }
        return order
    }

    @Test("H-11 the families take turns, the resolver's first one first [RFC 8305 s.4]")
    func turns() {
        var race = ConnectionRace()
        race.offer(NameAnswer(addresses: [v6(1), v6(2), v6(3), v4(1), v4(2)]), at: start)
        #expect(order(&race) == [v6(1), v4(1), v6(2), v4(2), v6(3)])
        race = ConnectionRace()
        race.offer(NameAnswer(addresses: [v4(1), v4(2), v6(1)]), at: start)
        #expect(order(&race) == [v4(1), v6(1), v4(2)])
    }

    @Test("H-11 an attempt has 250 ms for itself, and a failure begins the next at once [RFC 8305 s.5]")
    func delay() {
        var race = ConnectionRace()
        race.offer(NameAnswer(addresses: [v6(1), v4(1), v6(2)]), at: start)
        #expect(race.next(at: start) == .connect(v6(1), attempt: 0))
        #expect(race.next(at: after(1)) == .wait(until: after(250)))
        #expect(race.next(at: after(250)) == .connect(v4(1), attempt: 1))
        // The first may still end well, but the field was the second's.
        race.failed(0, SystemError(.connect, code: ECONNREFUSED))
        #expect(race.next(at: after(251)) == .wait(until: after(500)))
        race.failed(1, SystemError(.connect, code: ECONNREFUSED))
        #expect(race.next(at: after(252)) == .connect(v6(2), attempt: 2))
        #expect(race.next(at: after(900)) == .wait(until: .distantFuture))
    }

    @Test("H-11 addresses of IPv4 wait 50 ms for those of IPv6, which wait for nothing [RFC 8305 s.3]")
    func resolutionDelay() {
        var race = ConnectionRace()
        #expect(race.next(at: start) == .wait(until: .distantFuture))
        race.offer(NameAnswer(addresses: [v4(1)], isWhole: false), at: start)
        #expect(race.next(at: start) == .wait(until: after(50)))
        race.offer(NameAnswer(addresses: [v6(1), v4(1)]), at: after(20))
        #expect(race.next(at: after(20)) == .connect(v6(1), attempt: 0))

        race = ConnectionRace()
        race.offer(NameAnswer(addresses: [v6(1)], isWhole: false), at: start)
        #expect(race.next(at: start) == .connect(v6(1), attempt: 0))

        race = ConnectionRace()
        race.offer(NameAnswer(addresses: [v4(1)], isWhole: false), at: start)
        race.offer(NameAnswer(addresses: [v4(1)], isWhole: true), at: after(10))
        #expect(race.next(at: after(10)) == .connect(v4(1), attempt: 0))
    }

    @Test("H-11 addresses that come late join the race, and the end waits for them")
    func late() {
        var race = ConnectionRace()
        race.offer(NameAnswer(addresses: [v4(1)], isWhole: false), at: start)
        #expect(race.next(at: after(50)) == .connect(v4(1), attempt: 0))
        race.failed(0, SystemError(.connect, code: ECONNREFUSED))
        #expect(race.next(at: after(60)) == .wait(until: .distantFuture))
        race.offer(NameAnswer(addresses: [v6(1), v4(1)]), at: after(400))
        #expect(race.next(at: after(400)) == .connect(v6(1), attempt: 1))
        race.failed(1, SystemError(.connect, code: ETIMEDOUT))
        let told = SystemError(.connect, code: ECONNREFUSED)
        #expect(race.next(at: after(401)) == .fail(.failed(told, at: v4(1))))
    }

    @Test("S-2 of many addresses at most eight are tried, of both families")
    func bounded() {
        var race = ConnectionRace()
        race.offer(NameAnswer(addresses: (0..<20).map { v6($0) } + (0..<20).map { v4($0) }), at: start)
        let tried = order(&race)
        #expect(tried.count == 8)
        #expect(tried.filter { $0.family == .v4 }.count == 4)
    }

    @Test(
        "the failure of an address with a way to it is told, then the first one's; one that wasn't permitted before both"
    )
    func failures() {
        func failure(_ codes: [Int32]) -> ConnectionRace.Step {
            var race = ConnectionRace()
            race.offer(NameAnswer(addresses: (0..<UInt64(codes.count)).map { v6($0) }), at: start)
            for code in codes {
                guard case .connect(_, let attempt) = race.next(at: start) else { continue }
                if code == 0 { race.refused(attempt) } else { race.failed(attempt, SystemError(.connect, code: code)) }
            }
            return race.next(at: start)
        }
        #expect(
            failure([ENETUNREACH, ETIMEDOUT, ECONNREFUSED])
                == .fail(.failed(SystemError(.connect, code: ETIMEDOUT), at: v6(1)))
        )
        #expect(
            failure([EHOSTUNREACH, ENETUNREACH])
                == .fail(.failed(SystemError(.connect, code: EHOSTUNREACH), at: v6(0)))
        )
        #expect(failure([0, ECONNREFUSED]) == .fail(.refused))
    }

    @Test("a name without addresses fails as the resolver has it, and no sooner than that is certain")
    func nothing() {
        var race = ConnectionRace()
        race.offer(NameAnswer(addresses: [], isWhole: false), at: start)
        #expect(race.next(at: start) == .wait(until: .distantFuture))
        race.offer(NameAnswer(addresses: [], error: .timedOut), at: start)
        #expect(race.next(at: start) == .fail(.notResolved(.timedOut)))
    }
}
