/// A moment as the operator reads it.
package struct UniversalTime {
    private let unixSeconds: Int64

    /// The moment so many seconds after 1970.
    package init(unixSeconds: Int64) { self.unixSeconds = unixSeconds }

    /// `2026-11-30T05:01:00Z` [RFC 3339].
    package var text: String {
        let day = unixSeconds >= 0 ? unixSeconds / 86_400 : (unixSeconds - 86_399) / 86_400
        let second = unixSeconds - day * 86_400
        let (year, month, dayOfMonth) = Self.date(of: day)
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(dayOfMonth, 2))"
        let clock = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(date)T\(clock)Z"
    }

    /// The date that many days after 1970-01-01, in the Gregorian calendar, counted in eras of 400 years.
    private static func date(of day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // From 0000-03-01 on, so that the leap day ends a year.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
