import Bytes
import Testing

@Suite struct CivilDateTests {
    /// From the table of `date -u +%s`.
    static let days: [(Int64, Int, Int, Int)] = [
        (0, 1970, 1, 1), (951_782_400, 2000, 2, 29), (951_868_800, 2000, 3, 1), (1_814_313_600, 2027, 6, 30),
        (4_107_369_600, 2100, 2, 27), (4_107_456_000, 2100, 2, 28), (4_107_542_400, 2100, 3, 1),
        (253_402_214_400, 9999, 12, 31), (-86_400, 1969, 12, 31), (-2_208_988_800, 1900, 1, 1),
        (-62_135_596_800, 1, 1, 1), (-11_671_084_800, 1600, 2, 28), (-62_167_219_200, 0, 1, 1),
    ]

    @Test("a day and its first second stand for each other", arguments: days)
    func both(seconds: Int64, year: Int, month: Int, day: Int) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(date.unixSeconds == seconds)
        #expect(CivilDate(unixSeconds: seconds) == date)
        #expect(CivilDate(unixSeconds: seconds + 86_399) == date)
        #expect(CivilDate(unixSeconds: seconds - 1) != date)
    }

    @Test(
        "a day that doesn't exist is none",
        arguments: [(2027, 2, 29), (2100, 2, 29), (2027, 4, 31), (2027, 0, 1), (2027, 13, 1), (2027, 1, 0)]
    )
    func none(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test func `a day is written as in RFC 3339`() {
        #expect(CivilDate(year: 2027, month: 6, day: 30)?.description == "2027-06-30")
        #expect(CivilDate(year: 33, month: 1, day: 2)?.description == "0033-01-02")
    }
}
