internal import Bytes

/// The text of a PAC file, in whatever charset it is written.
package enum PACText {
    /// What a PAC file may have, in bytes.
    package static let longest = 1 << 20

    /// The script in ASCII alone, other characters as JavaScript's escapes; nil where a byte of it is NUL.
    ///
    /// The charset is the one that the file's server names, else that of its byte order mark, else UTF-8 where it is that,
    /// else Latin-1, as which the bytes of cp1252 pass too.
    package static func script(_ bytes: [UInt8], charset: String?) -> [UInt8]? {
        var escaper = Escaper()
        for scalar in scalars(bytes, charset: charset?.lowercased()) {
            guard scalar != "\0" else { return nil }
            escaper.append(scalar)
        }
        return escaper.script
    }

    /// The charset that a value of Content-Type names [RFC 9110 s.8.3].
    package static func charset(in contentType: Span<UInt8>) -> String? {
        let bytes = contentType.indices.map { contentType[$0] }
        for parameter in bytes.split(separator: UInt8(ascii: ";")).dropFirst() {
            let text = String(decoding: parameter.map(ASCII.lowercased), as: UTF8.self)
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ $0 != " " && $0 != "\t" }) == "charset" else { continue }
            return String(parts[1].filter { !" \t\"'".contains($0) })
        }
        return nil
    }

    private static func scalars(_ bytes: [UInt8], charset: String?) -> String.UnicodeScalarView {
        switch charset {
        case "utf-8", "utf8": return String(decoding: withoutMark(bytes), as: UTF8.self).unicodeScalars
        case "utf-16", "utf-16be", "utf-16le": return utf16(bytes, isLittle: charset == "utf-16le").unicodeScalars
        // Latin-1 and the names of its kin; of an unknown one the file itself may tell more.
        case "iso-8859-1", "latin1", "windows-1252", "cp1252", "us-ascii": return latin1(bytes)
        default: break
        }
        if bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe]) {
            return utf16(bytes, isLittle: false).unicodeScalars
        }
        return String(validating: withoutMark(bytes), as: UTF8.self)?.unicodeScalars ?? latin1(bytes)
    }

    private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    }

    /// A byte order mark is right, whatever else was said.
    private static func utf16(_ bytes: [UInt8], isLittle: Bool) -> String {
        let isMarked = bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe])
        let isLittle = isMarked ? bytes[0] == 0xff : isLittle
        let start = isMarked ? 2 : 0
        let units = stride(from: start, to: bytes.count - 1, by: 2).map { index in
            let pair = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func latin1(_ bytes: [UInt8]) -> String.UnicodeScalarView {
        var view = String.UnicodeScalarView()
        for byte in bytes { view.append(Unicode.Scalar(byte)) }
        return view
    }
}

/// Writes a script in ASCII: the interpreter would take each byte for a character.
private struct Escaper {
    private(set) var script: [UInt8] = []
    /// An odd number of backslashes stands before.
    private var isEscaped = false

    mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            script.append(byte)
            return
        }
        // In a text, a backslash before such a character means the character; one behind it would be undone.
        if isEscaped { script.removeLast() }
        isEscaped = false
        switch scalar.value {
        case 0xa0, 0xfeff: script.append(UInt8(ascii: " "))
        case 0x2028, 0x2029: script.append(UInt8(ascii: "\n"))
        default:
            for unit in String(scalar).utf16 {
                script.append(contentsOf: "\\u".utf8)
                for shift in [12, 8, 4, 0] {
                    script.append(Array("0123456789abcdef".utf8)[Int(unit >> UInt16(shift) & 15)])
                }
            }
        }
    }
}
