import Testing

@testable import Bytes

@Suite struct InstantTests {
    @Test("moments move and never wrap")
    func moving() {
        let start = Instant(nanoseconds: 1_000_000_000)
        #expect(start.adding(nanoseconds: .seconds(2)).nanoseconds == 3_000_000_000)
        #expect(start.adding(nanoseconds: .max) == .distantFuture)
        #expect(start.advanced(bySeconds: 0.25).nanoseconds == 1_250_000_000)
        #expect(start.advanced(bySeconds: -0.25).nanoseconds == 750_000_000)
        #expect(start.advanced(bySeconds: -5).nanoseconds == 0)
        #expect(start.advanced(bySeconds: 1e300) == .distantFuture)
        #expect(start.advanced(bySeconds: .nan) == Instant(nanoseconds: 0))
        #expect(Instant(nanoseconds: 5).since(Instant(nanoseconds: 3)) == 2)
        #expect(Instant(nanoseconds: 3).since(Instant(nanoseconds: 5)) == 0)
        #expect(Instant(nanoseconds: 3) < Instant(nanoseconds: 5))
        #expect(Nanoseconds.milliseconds(3) == 3_000_000)
    }
}
