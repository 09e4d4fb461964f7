/// A host name brought to the form in which it travels in HTTP: lower case, A-labels, no trailing dot.
enum HostName {
    /// Scalars that UTS 46 maps to the full stop between labels.
    private static let otherFullStops: [Unicode.Scalar] = ["\u{3002}", "\u{FF0E}", "\u{FF61}"]
    /// Scalars that case folding would replace although a name may hold them [RFC 5892 s.2.6].
    private static let exceptions: [Unicode.Scalar] = ["\u{DF}", "\u{3C2}", "\u{200C}", "\u{200D}"]

    /// Normalises what the writer of a rule file wrote [RFC 5891 s.4].
    static func normalized(_ text: String) throws(HostPatternError) -> String {
        var labels: [[Unicode.Scalar]] = [[]]
        for scalar in text.unicodeScalars {
            if scalar == "." || otherFullStops.contains(scalar) {
                labels.append([])
            } else {
                labels[labels.count - 1].append(scalar)
            }
        }
        if labels.count > 1, labels.last?.isEmpty == true {
            labels.removeLast()
        }
        var names: [String] = []
        for label in labels {
            names.append(try ascii(label))
        }
        let name = names.joined(separator: ".")
        guard name.utf8.count <= 253 else { throw .tooLong }
        guard !endsInNumber(name) else { throw .malformedAddress }
        return name
    }

    /// Whether a resolver might take the name for an address in an old spelling, as `10.1` or `0x7f000001`.
    static func endsInNumber(_ name: String) -> Bool {
        guard let last = name.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        if last.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
        guard last.starts(with: "0x".utf8) else { return false }
        return last.dropFirst(2).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static func ascii(_ label: [Unicode.Scalar]) throws(HostPatternError) -> String {
        guard !label.isEmpty else { throw .emptyLabel }
        let lower = label.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
        guard lower.allSatisfy({ !$0.isASCII || isNameByte($0) }) else { throw .invalidCharacter }
        var bytes = lower.map { UInt8(truncatingIfNeeded: $0.value) }
        if !lower.allSatisfy(\.isASCII) {
            guard lower.allSatisfy(isStable) else { throw .needsALabel }
            guard lower.count <= 63, let encoded = Punycode.encode(lower) else { throw .tooLong }
            bytes = Array("xn--".utf8) + encoded
        }
        guard bytes.count <= 63 else { throw .tooLong }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isNameByte(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "0"..."9", "-", "_": true
        default: false
        }
    }

    /// Whether IDNA would keep the scalar as it is.
    ///
    /// The standard library has no composition for us, so a mark that belongs into a composed letter is refused, too.
    private static func isStable(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return true }
        guard !("\u{300}"..."\u{36F}").contains(scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator:
            return false
        default:
            return !scalar.properties.changesWhenNFKCCaseFolded || exceptions.contains(scalar)
        }
    }
}
