import PAC

/// What must hold for any bytes that come from the process that runs a PAC file, or as the file; the fuzzer and the replay
/// of its corpus both ask.
package enum PACCheck {
    /// Reads the bytes as a result, as frames and as a file's text; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        let result = PACResult(input.span)
        if result.items.count + result.passedOver.count > PACResult.most { return "too many items" }
        for case .proxy(_, let host, let port) in result.items where host.isEmpty || port == 0 {
            return "a proxy without host or port"
        }
        guard let script = PACText.script(input, charset: nil) else { return input.contains(0) ? nil : "no script" }
        if script.contains(where: { $0 == 0 || $0 > 0x7f }) { return "a script that isn't ASCII" }
        return faultOfFrames(input)
    }

    private static func faultOfFrames(_ input: [UInt8]) -> String? {
        var reader = PACFrameReader(longest: 64)
        reader.append(input.span)
        var count = 0
        while case .frame(let frame) = reader.next() {
            count += 1
            var again = PACFrameReader(longest: 64)
            let bytes = frame.bytes
            again.append(bytes.span)
            if again.next() != .frame(frame) { return "a frame that isn't what was sent" }
        }
        return count * 5 <= input.count ? nil : "more frames than bytes"
    }
}
