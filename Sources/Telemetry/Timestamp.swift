internal import Bytes

/// A moment as it stands in a log line: UTC to the millisecond [RFC 3339].
struct Timestamp {
    /// Milliseconds since 1970.
    let unixMilliseconds: Int64

    /// Appends `2026-11-30T05:11:28.772Z`.
    func append(into buffer: inout ByteBuffer) {
        appendSecond(into: &buffer)
        appendFraction(into: &buffer)
    }

    /// Whole seconds since 1970.
    var second: Int64 { (unixMilliseconds - millisecond) / 1000 }

    private var millisecond: Int64 {
        let rest = unixMilliseconds % 1000
        return rest >= 0 ? rest : rest + 1000
    }

    /// Appends `2026-11-30T05:11:28`, which most lines share with the one before.
    func appendSecond(into buffer: inout ByteBuffer) {
        let secondOfDay = ((second % 86_400) + 86_400) % 86_400
        let (year, month, day) = Self.date(daysSince1970: (second - secondOfDay) / 86_400)
        buffer.append(decimal: UInt64(clamping: year), width: 4)
        buffer.append(UInt8(ascii: "-"))
        buffer.append(decimal: UInt64(month), width: 2)
        buffer.append(UInt8(ascii: "-"))
        buffer.append(decimal: UInt64(day), width: 2)
        buffer.append(UInt8(ascii: "T"))
        buffer.append(decimal: UInt64(secondOfDay / 3600), width: 2)
        buffer.append(UInt8(ascii: ":"))
        buffer.append(decimal: UInt64(secondOfDay / 60 % 60), width: 2)
        buffer.append(UInt8(ascii: ":"))
        buffer.append(decimal: UInt64(secondOfDay % 60), width: 2)
    }

    /// Appends `.772Z`.
    func appendFraction(into buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "."))
        buffer.append(decimal: UInt64(millisecond), width: 3)
        buffer.append(UInt8(ascii: "Z"))
    }

    /// The Gregorian date, counted in years that begin with March, so that the leap day comes last.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
