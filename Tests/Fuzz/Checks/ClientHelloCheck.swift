import TLS

/// What must hold for any bytes read as the first ones of a client.
package enum ClientHelloCheck {
    /// Reads the input and its beginnings; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        let whole = ClientHello.read(input.span)
        if case .complete(let hello) = whole, let fault = fault(of: hello) { return fault }
        // Whatever came so far, more of the same client never takes back what was read.
        for count in stride(from: 0, to: input.count, by: max(1, input.count / 256)) {
            switch ClientHello.read(input.span.extracting(0..<count)) {
            case .incomplete: continue
            case .other: if whole != .other { return "what was something else after \(count) bytes is a ClientHello" }
            case .complete(let hello):
                if whole != .complete(hello) { return "what was complete after \(count) bytes is another" }
            }
        }
        return nil
    }

    private static func fault(of hello: ClientHello) -> String? {
        if let name = hello.serverName {
            let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
            if !isName || name != name.lowercased() { return "a name that is none" }
        }
        if hello.protocols?.contains(where: \.isEmpty) == true { return "a protocol without a name" }
        if hello.protocols == nil && !hello.takesHTTP1 { return "who offers nothing takes anything" }
        return nil
    }
}
