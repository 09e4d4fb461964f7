import Bytes
import Testing

@testable import Telemetry

@Suite struct MetricsTests {
    private func exchange(
        _ status: UInt16,
        _ duration: Nanoseconds = .milliseconds(3),
        challenge: MetricsSnapshot.Challenge = .none,
        isAnswered: Bool = false,
        isTunnel: Bool = false,
        reason: String = ""
    ) -> MetricsSnapshot.Exchange {
        MetricsSnapshot.Exchange(
            status: status,
            duration: duration,
            attempts: 2,
            bytesIn: 10,
            bytesOut: 100,
            isTunnel: isTunnel,
            challenge: challenge,
            isAnswered: isAnswered,
            reason: reason
        )
    }

    @Test("O-2 what loops counted adds up, each response under its class")
    func sum() {
        var first = MetricsSnapshot()
        for status in [200, 204, 304, 407, 502, 0, 999] as [UInt16] { first.count(exchange(status)) }
        var second = MetricsSnapshot()
        second.count(exchange(200, challenge: .origin, isAnswered: true))
        second.count(exchange(502, challenge: .parent, reason: "credential.withheld"))
        second.count(exchange(200, isTunnel: true))
        first.add(second)
        #expect(first.responses == [2, 0, 4, 1, 1, 2])
        #expect(first.exchanges == 10)
        #expect((first.originChallenges, first.parentChallenges, first.answered) == (1, 1, 1))
        #expect((first.attempts, first.bytesIn, first.bytesOut, first.tunnels) == (20, 100, 1000, 1))
        #expect(first.reasons == ["credential.withheld": 1])
        // A tunnel's length says nothing of how fast answers are.
        #expect(first.durations.total == 9)
    }

    @Test("O-2 a percentile is right to within half of itself, whatever the distribution", arguments: [1, 7, 1000])
    func percentiles(count: UInt64) throws {
        var histogram = DurationHistogram()
        var state: UInt64 = 42
        let lengths = (0..<count).map { _ -> UInt64 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 300_000 + (state >> 33) % 20_000_000_000
        }
        for length in lengths { histogram.count(length) }
        let sorted = lengths.sorted()
        for share in [0.5, 0.9, 0.99, 1] {
            let exact = Double(sorted[max(0, Int((share * Double(count)).rounded(.up)) - 1)])
            let told = Double(try #require(histogram.percentile(share)))
            #expect(told >= exact && told <= exact * 1.5 + 1)
        }
        #expect(histogram.sum == lengths.reduce(0, +))
    }

    @Test("O-2 lengths beyond either end are counted")
    func ends() {
        var histogram = DurationHistogram()
        #expect(histogram.percentile(0.5) == nil)
        histogram.count(0)
        #expect(histogram.percentile(1) == 250_000)
        histogram.count(.seconds(1_000_000))
        #expect(histogram.percentile(1) == DurationHistogram.bounds.last)
        #expect(histogram.counts.first == 1 && histogram.counts.last == 1)
    }

    @Test("O-2 a point of the history holds what came in its ten seconds, and an hour of them is kept")
    func history() {
        var totals = MetricsSnapshot()
        var history = MetricsHistory()
        totals.count(exchange(200, .milliseconds(1)))
        totals.count(exchange(502, .milliseconds(1), reason: "pin.mismatch"))
        history.add(totals, unixSeconds: 10)
        for _ in 0..<3 { totals.count(exchange(200, .seconds(3), challenge: .origin)) }
        history.add(totals, unixSeconds: 20)
        history.add(totals, unixSeconds: 30)
        #expect(history.points.map(\.exchanges) == [2, 3, 0])
        #expect(history.points.map(\.challenges) == [0, 3, 0])
        #expect(history.points.map(\.reasons) == [["pin.mismatch": 1], [:], [:]])
        #expect(history.points.map(\.median) == [1_000_000, 3_072_000_000, nil])
        for second in 4..<1000 { history.add(totals, unixSeconds: Int64(second) * 10) }
        #expect(history.points.count == 360)
        #expect(history.points.first?.unixSeconds == 6400)
    }

    @Test("O-2 a label's value keeps its quotes, backslashes and line ends to itself")
    func labels() {
        var text = OpenMetricsText()
        text.begin("x", .counter, help: "Some.")
        text.sample(("a", "q\"\\\n"), ("b", ""), value: 7)
        let written = String(text.finish().readable)
        #expect(written == "# TYPE x counter\n# HELP x Some.\nx_total{a=\"q\\\"\\\\\\n\",b=\"\"} 7\n# EOF\n")
    }
}
