package import Bytes

/// Dates as HTTP writes them [RFC 9110 s.5.6.7].
package enum HTTPDate {
    /// Appends the IMF-fixdate of a moment from 1970 to 9999, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func append(unixSeconds: Int64, into buffer: inout ByteBuffer) {
        let seconds = max(0, min(unixSeconds, 253_402_300_799))
        let days = seconds / 86_400
        let date = CivilDate(unixSeconds: seconds)
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
}
