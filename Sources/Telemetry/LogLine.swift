internal import Bytes

/// One log line in the making, in a buffer that is used again for the next.
///
/// Whatever a value holds, a line stays one line and its quotes stay balanced: control characters, those of Latin-1 too,
/// and bytes that are no UTF-8 are written as escapes.
struct LogLine: ~Copyable {
    let format: LogFormat
    private var buffer = ByteBuffer(capacity: 1024)
    private var cachedSecond = Int64.min
    private var cachedTime = [UInt8](repeating: 0, count: 19)

    init(_ format: LogFormat) {
        self.format = format
    }

    /// Begins a line with its time and its kind: the level, or `access`.
    mutating func begin(_ time: Timestamp, kind: String) {
        buffer.removeAll()
        if format == .json { buffer.append("{\"time\":\"") }
        appendSecond(time)
        time.appendFraction(into: &buffer)
        if format == .json {
            buffer.append("\",\"kind\":\"")
            buffer.append(kind)
            buffer.append(UInt8(ascii: "\""))
        } else {
            buffer.append(UInt8(ascii: " "))
            buffer.append(kind)
        }
    }

    /// The part of the time that most lines share with the one before is formatted once.
    private mutating func appendSecond(_ time: Timestamp) {
        if time.second == cachedSecond { return buffer.append(cachedTime) }
        let start = buffer.count
        time.appendSecond(into: &buffer)
        // A year beyond 9999 has more digits; then nothing is kept.
        guard buffer.count - start == cachedTime.count else { return }
        for index in cachedTime.indices {
            let byte = buffer.readable[start + index]
            cachedTime[index] = byte
        }
        cachedSecond = time.second
    }

    /// Ends the line and hands it to `writer`.
    mutating func end(_ writer: LogWriter) {
        if format == .json { buffer.append(UInt8(ascii: "}")) }
        buffer.append(UInt8(ascii: "\n"))
        writer.write(buffer.readable)
    }

    /// Adds the message, which in text stands without key and quotes; a constant of the program.
    mutating func message(_ text: StaticString) {
        if format == .json {
            begin(key: "message")
            quoted(text.description.utf8.span)
        } else {
            buffer.append(UInt8(ascii: " "))
            buffer.append(text.description)
        }
    }

    /// Adds text.
    mutating func field(_ key: String, _ value: Span<UInt8>) {
        begin(key: key)
        if format == .json || Self.needsQuotes(value) { quoted(value) } else { buffer.append(value) }
    }

    /// Adds two pieces of text as one value.
    mutating func field(_ key: String, _ first: Span<UInt8>, _ second: Span<UInt8>) {
        begin(key: key)
        let isBare =
            !(first.isEmpty && second.isEmpty)
            && (first.isEmpty || !Self.needsQuotes(first)) && (second.isEmpty || !Self.needsQuotes(second))
        if format == .json || !isBare {
            buffer.append(UInt8(ascii: "\""))
            escape(first)
            escape(second)
            buffer.append(UInt8(ascii: "\""))
        } else {
            buffer.append(first)
            buffer.append(second)
        }
    }

    /// Adds a number.
    mutating func field(_ key: String, _ value: UInt64) {
        begin(key: key)
        buffer.append(decimal: value)
    }

    /// Adds a number as sixteen hex digits.
    mutating func field(_ key: String, hex value: UInt64) {
        begin(key: key)
        if format == .json { buffer.append(UInt8(ascii: "\"")) }
        buffer.append(hex: value, width: 16)
        if format == .json { buffer.append(UInt8(ascii: "\"")) }
    }

    /// Adds a length of time as milliseconds with three decimals.
    mutating func field(_ key: String, milliseconds nanoseconds: Nanoseconds) {
        begin(key: key)
        let microseconds = nanoseconds / 1000
        buffer.append(decimal: microseconds / 1000)
        buffer.append(UInt8(ascii: "."))
        buffer.append(decimal: microseconds % 1000, width: 3)
    }

    /// Adds an address.
    mutating func field(_ key: String, _ address: IPAddress) {
        begin(key: key)
        if format == .json { buffer.append(UInt8(ascii: "\"")) }
        address.append(into: &buffer)
        if format == .json { buffer.append(UInt8(ascii: "\"")) }
    }

    private mutating func begin(key: String) {
        if format == .json {
            buffer.append(",\"")
            buffer.append(key)
            buffer.append("\":")
        } else {
            buffer.append(UInt8(ascii: " "))
            buffer.append(key)
            buffer.append(UInt8(ascii: "="))
        }
    }

    /// Whether a bare value could be taken for something else.
    private static func needsQuotes(_ value: Span<UInt8>) -> Bool {
        if value.isEmpty { return true }
        for index in value.indices {
            switch value[index] {
            case 0x21, 0x23...0x5b, 0x5d...0x7e: continue
            default: return true
            }
        }
        return false
    }

    private mutating func quoted(_ value: Span<UInt8>) {
        buffer.append(UInt8(ascii: "\""))
        escape(value)
        buffer.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ value: Span<UInt8>) {
        var index = 0
        while index < value.count {
            let byte = value[index]
            switch byte {
            case 0x22, 0x5c:
                buffer.append(UInt8(ascii: "\\"))
                buffer.append(byte)
                index += 1
            case 0x20...0x7e:
                buffer.append(byte)
                index += 1
            case 0x80...:
                let length = Self.lengthOfCharacter(value, at: index)
                if length > 0 {
                    buffer.append(value.extracting(index..<(index + length)))
                    index += length
                } else {
                    escape(byte)
                    index += 1
                }
            default:
                escape(byte)
                index += 1
            }
        }
    }

    /// A byte that can't stand for itself: `\x1b`, or in JSON `\u001b`; one that is no UTF-8 `\\xff` there.
    private mutating func escape(_ byte: UInt8) {
        if format == .text {
            buffer.append("\\x")
        } else {
            buffer.append(byte < 0x80 ? "\\u00" : "\\\\x")
        }
        buffer.append(hex: UInt64(byte), width: 2)
    }

    /// The length of the UTF-8 character of two to four bytes at `index`; 0 if there is none, or only a control one.
    private static func lengthOfCharacter(_ value: Span<UInt8>, at index: Int) -> Int {
        let first = value[index]
        let length: Int
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xbf
        // The limits of the second byte keep out overlong forms, surrogates, what lies beyond Unicode [RFC 3629 s.4]
        // and, at 0xc2, the control characters U+0080 to U+009F.
        switch first {
        case 0xc2: (length, lowest) = (2, 0xa0)
        case 0xc3...0xdf: length = 2
        case 0xe0: (length, lowest) = (3, 0xa0)
        case 0xed: (length, highest) = (3, 0x9f)
        case 0xe1...0xef: length = 3
        case 0xf0: (length, lowest) = (4, 0x90)
        case 0xf1...0xf3: length = 4
        case 0xf4: (length, highest) = (4, 0x8f)
        default: return 0
        }
        guard value.count - index >= length, (lowest...highest).contains(value[index + 1]) else { return 0 }
        for offset in 2..<max(length, 2) where value[index + offset] & 0xc0 != 0x80 { return 0 }
        return length
    }
}
