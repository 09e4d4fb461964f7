/// What Content-Length and Transfer-Encoding say of a message [RFC 9112 s.6.3].
struct MessageFraming: Equatable {
    /// The value of Content-Length, if there is one.
    var contentLength: UInt64?
    /// Whether Transfer-Encoding is `chunked`.
    var isChunked = false

    /// The largest length that is believed: 2^63-1.
    static let longest = UInt64(Int64.max)

    /// Reads both fields; `nil` stands for no error.
    mutating func read(_ fields: Fields, _ version: HTTPVersion) -> ParseError.Code? {
        contentLength = nil
        isChunked = false
        if fields.contains(.transferEncoding) {
            if fields.contains(.contentLength) { return .contentLengthWithTransferEncoding }
            if version == .http10 { return .transferEncodingInHTTP10 }
            if let code = readTransferEncoding(fields) { return code }
            isChunked = true
        } else if fields.contains(.contentLength) {
            return readContentLength(fields)
        }
        return nil
    }

    /// Equal values count as one, in one field line or in several [RFC 9110 s.8.6].
    private mutating func readContentLength(_ fields: Fields) -> ParseError.Code? {
        var line = fields.first(.contentLength)
        while let index = line {
            let value = fields.value(index)
            var start = 0
            while true {
                var end = start
                while end < value.count && value[end] != .comma { end &+= 1 }
                guard let length = Self.length(value, start..<end) else { return .contentLengthMalformed }
                if let known = contentLength, known != length { return .contentLengthDiffers }
                contentLength = length
                if end == value.count { break }
                start = end &+ 1
            }
            line = fields.next(.contentLength, after: index)
        }
        return nil
    }

    private static func length(_ value: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last && ByteClass.isBlank(value[first]) { first &+= 1 }
        while first < last && ByteClass.isBlank(value[last &- 1]) { last &-= 1 }
        guard first < last else { return nil }
        var length: UInt64 = 0
        for index in first..<last {
            guard ByteClass.isDigit(value[index]), length <= longest / 10 else { return nil }
            length = length * 10 + UInt64(value[index] &- 0x30)
            guard length <= longest else { return nil }
        }
        return length
    }

    /// Takes one `chunked` in one list of one element and nothing else.
    private func readTransferEncoding(_ fields: Fields) -> ParseError.Code? {
        let chunked = "chunked".utf8
        var count = 0
        var line = fields.first(.transferEncoding)
        while let index = line {
            let value = fields.value(index)
            var start = 0
            while let element = FieldList.next(in: value, from: &start) {
                let coding = value.extracting(FieldList.head(of: element, in: value))
                guard ByteClass.equalsIgnoringCase(coding, chunked.span) else { return .transferEncodingUnsupported }
                // chunked has no parameters.
                guard coding.count == element.count else { return .transferEncodingMalformed }
                count += 1
            }
            line = fields.next(.transferEncoding, after: index)
        }
        return count == 1 ? nil : .transferEncodingMalformed
    }
}
