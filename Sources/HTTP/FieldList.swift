/// Elements of list-valued fields [RFC 9110 s.5.6.1].
package enum FieldList {
    /// The next element of `value` at or behind `index` without blanks around it; moves `index` behind its comma.
    ///
    /// Empty elements are passed over; a comma inside a quoted string separates nothing.
    package static func next(in value: Span<UInt8>, from index: inout Int) -> Range<Int>? {
        while index < value.count {
            let start = index
            index = elementEnd(in: value, from: start)
            let element = trimmed(value, start..<index)
            index &+= 1
            if !element.isEmpty { return element }
        }
        return nil
    }

    /// The part of an element before its parameters or value: up to `;`, `=` or a blank.
    package static func head(of element: Range<Int>, in value: Span<UInt8>) -> Range<Int> {
        var end = element.lowerBound
        while end < element.upperBound {
            let byte = value[end]
            if byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=") || ByteClass.isBlank(byte) { break }
            end &+= 1
        }
        return element.lowerBound..<end
    }

    private static func elementEnd(in value: Span<UInt8>, from start: Int) -> Int {
        var isQuoted = false
        var index = start
        while index < value.count {
            let byte = value[index]
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: "\\") && isQuoted {
                index &+= 1
            } else if byte == .comma && !isQuoted {
                return index
            }
            index &+= 1
        }
        return value.count
    }

    private static func trimmed(_ value: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last && ByteClass.isBlank(value[first]) { first &+= 1 }
        while first < last && ByteClass.isBlank(value[last &- 1]) { last &-= 1 }
        return first..<last
    }
}

extension Fields {
    /// Whether some element of this list-valued field begins with `token` in any case, its parameters or value apart.
    package func hasToken(_ name: FieldName, _ token: String) -> Bool {
        guard var line = first(name) else { return false }
        let utf8 = token.utf8
        while true {
            let value = value(line)
            var index = 0
            while let element = FieldList.next(in: value, from: &index) {
                let head = FieldList.head(of: element, in: value)
                if ByteClass.equalsIgnoringCase(value.extracting(head), utf8.span) { return true }
            }
            guard let following = next(name, after: line) else { return false }
            line = following
        }
    }
}
