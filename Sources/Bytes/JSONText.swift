extension ByteBuffer {
    /// Appends a JSON string [RFC 8259 s.7].
    package mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case 0..<0x20:
                append("\\u")
                append(hex: UInt64(byte), width: 4)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends `"name":` of an object's member, with a comma before it unless it is the first.
    package mutating func append(member name: String, isFirst: Bool = false) {
        if !isFirst { append(UInt8(ascii: ",")) }
        append(json: name)
        append(UInt8(ascii: ":"))
    }

    /// Appends an array of strings.
    package mutating func append(jsonArray texts: [String]) {
        append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(json: text)
        }
        append(UInt8(ascii: "]"))
    }
}
