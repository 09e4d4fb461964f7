/// One row of challenge fields as servers really send them, and what a correct reader makes of it.
///
/// The expectations hold for a credential that answers basic and digest, under a rule that leaves the realm open.
package struct ChallengeField: Sendable, CustomStringConvertible {
    /// What the answer to a row must be.
    package struct Answer: Sendable {
        /// `Basic` or `Digest`.
        package var scheme: String
        /// The realm as it was understood; nil where it is absent.
        package var realm: [UInt8]?
        /// Parameters that the value must have, exactly as they are written on the wire.
        package var echoed: [[UInt8]] = []
        /// Names of parameters that the value must not have.
        package var absent: [String] = []
    }

    /// The row's number, with a letter where a row has several values.
    package var id: String
    /// The fields of one response in their order.
    package var values: [[UInt8]]
    /// Whether the row was seen as Proxy-Authenticate.
    package var isProxy = false
    /// The schemes of all challenges that are read, in their order.
    package var schemes: [String]
    /// The answer that is sent; nil where the challenge goes unanswered.
    package var answer: Answer?

    package var description: String { id }

    /// Whether every challenge of the row is Basic, so that it is worth sending as Proxy-Authenticate too.
    package var isBasic: Bool { schemes.allSatisfy { $0.lowercased() == "basic" } }

    /// The row with all its fields joined to one.
    package var joined: ChallengeField {
        var row = self
        row.id += " joined"
        row.values = [Array(values.joined(separator: Array(", ".utf8)))]
        return row
    }

    /// The row with its first field that has a comma outside of quotes split in two there; nil without such a field.
    package var split: ChallengeField? {
        for (place, value) in values.enumerated() {
            guard let comma = ChallengeField.firstListComma(in: value) else { continue }
            var row = self
            row.id += " split"
            row.values[place] = Array(value[..<comma])
            row.values.insert(Array(value[(comma + 1)...]), at: place + 1)
            return row
        }
        return nil
    }

    private static func firstListComma(in value: [UInt8]) -> Int? {
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in value.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isQuoted
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ",") && !isQuoted {
                return index
            }
        }
        return nil
    }
}
