package import Bytes

/// Dates as HTTP writes them [RFC 9110 s.5.6.7].
package enum HTTPDate {
    /// Appends the IMF-fixdate of a moment from 1970 to 9999, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func append(unixSeconds: Int64, into buffer: inout ByteBuffer) {
        let seconds = max(0, min(unixSeconds, 253_402_300_799))
        let days = seconds / 86_400
        let date = civil(days)
        // 1 January 1970 was a Thursday.
        appendName("SunMonTueWedThuFriSat", Int((days + 4) % 7), into: &buffer)
        buffer.append(", ")
        buffer.append(decimal: UInt64(date.day), width: 2)
        buffer.append(UInt8.space)
        appendName("JanFebMarAprMayJunJulAugSepOctNovDec", date.month - 1, into: &buffer)
        buffer.append(UInt8.space)
        buffer.append(decimal: UInt64(date.year), width: 4)
        buffer.append(UInt8.space)
        let time = UInt64(seconds % 86_400)
        buffer.append(decimal: time / 3600, width: 2)
        buffer.append(UInt8.colon)
        buffer.append(decimal: time / 60 % 60, width: 2)
        buffer.append(UInt8.colon)
        buffer.append(decimal: time % 60, width: 2)
        buffer.append(" GMT")
    }

    private static func appendName(_ names: String, _ index: Int, into buffer: inout ByteBuffer) {
        let utf8 = names.utf8
        buffer.append(utf8.span.extracting((index * 3)..<(index * 3 + 3)))
    }

    /// Year, month and day of a day counted from 1 January 1970 in the Gregorian calendar.
    ///
    /// Years are counted from March, so that the leap day is a year's last; 400 years have 146,097 days.
    private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
