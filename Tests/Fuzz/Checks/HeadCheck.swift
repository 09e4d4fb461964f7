import Bytes
import HTTP

/// What must hold for any bytes read as a head, of a request and of a response.
package enum HeadCheck {
    /// Reads the input both ways, whole and in pieces; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        var request = RequestHead()
        let whole = request.parse(input.span, limits: Limits())
        var dripping = RequestHead()
        let drips = outcome(input) { dripping.parse($0, limits: Limits()) }
        if !agree(whole, drips) { return "a request's pieces differ" }
        if case .head(let end) = whole, let fault = fault(of: request, Array(input[..<end])) { return fault }
        var response = ResponseHead()
        let read = response.parse(input.span, limits: Limits(), requestMethod: .get)
        var slow = ResponseHead()
        let pieces = outcome(input) { slow.parse($0, limits: Limits(), requestMethod: .get) }
        if !agree(read, pieces) { return "a response's pieces differ" }
        if case .head(let end) = read, let fault = fault(of: response, Array(input[..<end])) { return fault }
        return nil
    }

    /// The outcome when the input grows.
    private static func outcome(_ input: [UInt8], by parse: (Span<UInt8>) -> ParseOutcome) -> ParseOutcome {
        let step = input.count < 256 ? 1 : 61
        var count = 0
        while true {
            count = min(count + step, input.count)
            let outcome = parse(input.span.extracting(0..<count))
            if outcome != .needMore || count == input.count { return outcome }
        }
    }

    /// Whether both mean the same; a fault near the end of what has come may wait for more.
    private static func agree(_ whole: ParseOutcome, _ pieces: ParseOutcome) -> Bool {
        if case .failed = whole, pieces == .needMore { return true }
        return kind(whole) == kind(pieces)
    }

    private static func kind(_ outcome: ParseOutcome) -> String {
        switch outcome {
        case .needMore: "needMore"
        case .head(let end): "head \(end)"
        case .failed(let error): error.reason
        }
    }

    private static func fault(of head: borrowing RequestHead, _ bytes: [UInt8]) -> String? {
        if let fault = faultOfStrictLines(bytes) { return fault }
        if !ASCII.isToken(head.methodBytes) { return "a method that is no token" }
        if let fault = fault(of: head.fields, bytes) { return fault }
        if head.fields.contains(.contentLength) && head.fields.contains(.transferEncoding) { return "both lengths" }
        if head.version == .http11 && !head.fields.contains(.host) { return "no Host" }
        if head.bodyLength == .untilClose { return "a request that ends with its connection" }
        return faultOfRewriting(head)
    }

    /// A request has CRLF and no other CR, LF or NUL, and ends in its only empty line but one at the start.
    private static func faultOfStrictLines(_ bytes: [UInt8]) -> String? {
        for (index, byte) in bytes.enumerated() {
            if byte == 0 { return "NUL in a request" }
            if byte == 0x0a && (index == 0 || bytes[index - 1] != 0x0d) { return "a bare LF in a request" }
            if byte == 0x0d && (index + 1 == bytes.count || bytes[index + 1] != 0x0a) {
                return "a bare CR in a request"
            }
        }
        return bytes.suffix(4) == [0x0d, 0x0a, 0x0d, 0x0a] ? nil : "a request without its empty line"
    }

    private static func fault(of response: borrowing ResponseHead, _ bytes: [UInt8]) -> String? {
        if response.status < 100 || response.status > 999 { return "a status of \(response.status)" }
        if bytes.last != 0x0a { return "a response without its empty line" }
        if !isClean([UInt8](response.reason)) { return "a reason with a line end" }
        if response.fields.contains(.contentLength) && response.fields.contains(.transferEncoding) {
            return "both lengths"
        }
        return fault(of: response.fields, bytes)
    }

    private static func fault(of fields: Fields, _ bytes: [UInt8]) -> String? {
        for index in 0..<fields.count {
            let name = [UInt8](fields.nameBytes(index))
            let value = [UInt8](fields.value(index))
            if !ASCII.isToken(name.span) { return "a name that is no token" }
            if !isClean(value) { return "a value with a line end" }
            if let last = value.last, let first = value.first, ASCII.isBlank(first) || ASCII.isBlank(last) {
                return "a value with blanks around it"
            }
            let text = String(decoding: name, as: UTF8.self).lowercased()
            let known = FieldName.allCases.first { $0.text.lowercased() == text } ?? .other
            if fields.name(index) != known { return "\(text) is read as \(fields.name(index))" }
        }
        return faultOfRewriting(fields)
    }

    private static func isClean(_ bytes: [UInt8]) -> Bool {
        !bytes.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d }
    }

    /// What is written from a request reads strictly as the same request.
    private static func faultOfRewriting(_ head: borrowing RequestHead) -> String? {
        var buffer = ByteBuffer()
        HeadSerializer.appendRequestLine(method: head.methodBytes, target: head.targetBytes, into: &buffer)
        HeadSerializer.appendFields(head.fields, except: FieldNameSet(), into: &buffer)
        HeadSerializer.appendLineEnd(into: &buffer)
        var again = RequestHead()
        // A request of 1.0 may lack Host and is written as 1.1; a target near the limit may not fit a rewritten head.
        guard head.version == .http11, buffer.count <= Limits().head else { return nil }
        guard case .head = again.parse(buffer.readable, limits: Limits()) else { return "a rewritten head fails" }
        return again.target == head.target && again.bodyLength == head.bodyLength ? nil : "a rewritten head differs"
    }

    /// What is written from any fields reads strictly as the same fields, but for control bytes, which responses may hold.
    private static func faultOfRewriting(_ fields: Fields) -> String? {
        var buffer = ByteBuffer()
        buffer.append("HTTP/1.1 204 No Content\r\n")
        HeadSerializer.appendFields(fields, except: [.contentLength, .transferEncoding], into: &buffer)
        HeadSerializer.appendLineEnd(into: &buffer)
        guard buffer.count <= Limits().head else { return nil }
        var again = ResponseHead()
        guard case .head = again.parse(buffer.readable, limits: Limits(), requestMethod: .get) else {
            return "rewritten fields fail"
        }
        var index = 0
        for original in 0..<fields.count {
            if [.contentLength, .transferEncoding].contains(fields.name(original)) { continue }
            if !ASCII.equals(fields.value(original), again.fields.value(index)) { return "a rewritten value differs" }
            if !ASCII.equals(fields.nameBytes(original), again.fields.nameBytes(index)) {
                return "a rewritten name differs"
            }
            index += 1
        }
        return index == again.fields.count ? nil : "rewritten fields are more"
    }
}
