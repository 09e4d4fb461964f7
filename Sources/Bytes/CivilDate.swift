/// A day of the Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    /// The year, which may be negative.
    package let year: Int
    /// 1 to 12
    package let month: Int
    /// 1 to 31
    package let day: Int

    /// A day that exists; nil for any other.
    package init?(year: Int, month: Int, day: Int) {
        guard (-100_000...100_000).contains(year), (1...12).contains(month) else { return nil }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths: [12 of Int] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that a second of Unix time falls on in UTC.
    package init(unixSeconds: Int64) {
        let days = Int(unixSeconds >= 0 ? unixSeconds / 86_400 : (unixSeconds + 1) / 86_400 - 1)
        // Years are counted from March, so that the leap day is a year's last; 400 years have 146,097 days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Its first second in UTC, in seconds of Unix time.
    package var unixSeconds: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468) * 86_400
    }
}

extension CivilDate: CustomStringConvertible {
    /// `YYYY-MM-DD` [RFC 3339 s.5.6].
    package var description: String {
        var buffer = ByteBuffer(capacity: 16)
        append(into: &buffer)
        return String(buffer.readable)
    }

    /// Appends `description`.
    package func append(into buffer: inout ByteBuffer) {
        if year < 0 { buffer.append(UInt8(ascii: "-")) }
        buffer.append(decimal: UInt64(year.magnitude), width: 4)
        buffer.append(UInt8(ascii: "-"))
        buffer.append(decimal: UInt64(month), width: 2)
        buffer.append(UInt8(ascii: "-"))
        buffer.append(decimal: UInt64(day), width: 2)
    }
}
