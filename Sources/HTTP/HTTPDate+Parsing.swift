import Bytes

extension HTTPDate {
    /// The seconds of Unix time of a date in any of the three forms [RFC 9110 s.5.6.7]; nil for anything else.
    package static func unixSeconds(_ value: Span<UInt8>) -> Int64? {
        let words = words(of: value)
        let parts: (day: Range<Int>, month: Range<Int>, year: Range<Int>, time: ArraySlice<Range<Int>>)
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        case 8: parts = (words[1], words[2], words[3], words[4...6])
        // Sun Nov  6 08:49:37 1994
        case 7: parts = (words[2], words[1], words[6], words[3...5])
        default: return nil
        }
        let time = parts.time.compactMap { number(value.extracting($0)) }
        guard time.count == 3, time[0] < 24, time[1] < 60, time[2] <= 60 else { return nil }
        guard let month = month(value.extracting(parts.month)) else { return nil }
        guard let day = number(value.extracting(parts.day)), var year = number(value.extracting(parts.year)) else {
            return nil
        }
        if parts.year.count == 2 { year += year < 70 ? 2000 : 1900 }
        guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
        return date.unixSeconds + Int64(time[0] * 3600 + time[1] * 60 + time[2])
    }

    /// What stands between blanks, commas, hyphens and colons, nine words at the most.
    private static func words(of value: Span<UInt8>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start = 0
        for index in 0...value.count where index == value.count || isSeparator(value[index]) {
            if index > start { words.append(start..<index) }
            start = index + 1
            if words.count > 8 { break }
        }
        return words
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case .space, .comma, .colon, UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func number(_ word: Span<UInt8>) -> Int? {
        guard word.count <= 4 else { return nil }
        return ASCII.decimal(word).map { Int($0) }
    }

    private static func month(_ word: Span<UInt8>) -> Int? {
        let names = "JanFebMarAprMayJunJulAugSepOctNovDec".utf8
        guard word.count == 3 else { return nil }
        for month in 0..<12 {
            let name = names.span.extracting((month * 3)..<(month * 3 + 3))
            if ByteClass.equalsIgnoringCase(word, name) { return month + 1 }
        }
        return nil
    }
}
