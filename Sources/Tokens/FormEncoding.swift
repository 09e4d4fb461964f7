internal import Bytes

/// Names and values as `application/x-www-form-urlencoded` has them [RFC 6749, appendix B].
enum FormEncoding {
    /// Appends `bytes` encoded, three times as many at the most.
    static func append(_ bytes: Span<UInt8>, into message: inout [UInt8]) {
        for index in bytes.indices {
            let byte = bytes[index]
            if isPlain(byte) {
                message.append(byte)
            } else if byte == 0x20 {
                message.append(UInt8(ascii: "+"))
            } else {
                message.append(UInt8(ascii: "%"))
                message.append(digit(byte >> 4))
                message.append(digit(byte & 15))
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "*"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
