internal import Bytes

/// Certificates as text [RFC 7468 s.5].
package enum PEM {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The certificate in lines of 64 characters.
    package static func certificate(_ der: [UInt8]) -> String {
        let base64 = Base64.encode(der.span)
        var text = begin + "\n"
        var start = 0
        while start < base64.count {
            let end = min(start + 64, base64.count)
            text += String(decoding: base64[start..<end], as: UTF8.self) + "\n"
            start = end
        }
        return text + end + "\n"
    }

    /// The DER of each certificate in a text, whatever stands between them; nil where one of them is cut off or is no
    /// base64.
    package static func certificates(in text: Span<UInt8>) -> [[UInt8]]? {
        var found: [[UInt8]] = []
        var body: [UInt8]?
        var start = 0
        while start < text.count {
            let next = ASCII.firstIndex(of: UInt8(ascii: "\n"), in: text, from: start) ?? text.count
            var last = next
            while last > start && (ASCII.isBlank(text[last - 1]) || text[last - 1] == UInt8(ascii: "\r")) { last -= 1 }
            let line = text.extracting(start..<last)
            start = next + 1
            if ASCII.equals(line, begin) {
                guard body == nil else { return nil }
                body = []
            } else if ASCII.equals(line, end) {
                guard let base64 = body, let der = Base64.decode(base64.span), !der.isEmpty else { return nil }
                found.append(der)
                body = nil
            } else if body != nil {
                for index in line.indices { body?.append(line[index]) }
            }
        }
        return body == nil ? found : nil
    }
}
