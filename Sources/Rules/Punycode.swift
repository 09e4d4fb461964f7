/// The ASCII form of one label of an internationalised name [RFC 3492].
///
/// Only the encoder: a pattern is turned into the form in which names travel in HTTP, never back.
enum Punycode {
    private static let base: UInt32 = 36
    private static let threshold: (minimum: UInt32, maximum: UInt32) = (1, 26)
    private static let skew: UInt32 = 38
    private static let damp: UInt32 = 700
    private static let initialBias: UInt32 = 72
    private static let firstNonBasic: UInt32 = 0x80

    /// Encodes a label that holds at least one scalar beyond ASCII, without the `xn--` [RFC 3492 s.6.3].
    ///
    /// - Returns: nil when the label is so long that the arithmetic overflows.
    static func encode(_ label: [Unicode.Scalar]) -> [UInt8]? {
        var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basicCount = UInt32(output.count)
        if basicCount > 0 {
            output.append(UInt8(ascii: "-"))
        }
        var handled = basicCount
        var code = firstNonBasic
        var delta: UInt32 = 0
        var bias = initialBias
        while handled < label.count {
            guard let next = label.lazy.map(\.value).filter({ $0 >= code }).min() else { return nil }
            let (step, overflow) = (next - code).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, delta <= UInt32.max - step - 1 else { return nil }
            delta += step
            code = next
            for scalar in label {
                if scalar.value < code {
                    delta += 1
                } else if scalar.value == code {
                    append(delta, bias: bias, to: &output)
                    bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                    delta = 0
                    handled += 1
                }
            }
            delta += 1
            code += 1
        }
        return output
    }

    /// Writes one delta as a generalised variable-length integer [RFC 3492 s.3.3].
    private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var rest = delta
        var position = base
        while true {
            let digit = min(max(position, bias + threshold.minimum) - bias, threshold.maximum)
            if rest < digit { break }
            output.append(Punycode.digit(digit + (rest - digit) % (base - digit)))
            rest = (rest - digit) / (base - digit)
            position += base
        }
        output.append(Punycode.digit(rest))
    }

    /// Adapts the bias after each delta [RFC 3492 s.3.4].
    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var rest = isFirst ? delta / damp : delta / 2
        rest += rest / count
        var bias: UInt32 = 0
        while rest > ((base - threshold.minimum) * threshold.maximum) / 2 {
            rest /= base - threshold.minimum
            bias += base
        }
        return bias + (base - threshold.minimum + 1) * rest / (rest + skew)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let offset = UInt8(truncatingIfNeeded: value)
        return offset < 26 ? UInt8(ascii: "a") + offset : UInt8(ascii: "0") + offset - 26
    }
}
