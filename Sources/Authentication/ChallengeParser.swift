internal import Bytes

/// Reads the WWW-Authenticate or Proxy-Authenticate fields of one response [RFC 9110, section 11.6.1].
///
/// The fields are one list in their order: a challenge's parameters may go on in the next field, a quoted string ends
/// with its field. Any input is read in linear time; what breaks the grammar spoils the challenge that it stands in
/// and no other. Four slips that devices make are read all the same: a value that should have been quoted, a missing
/// comma behind a closed quote, a quoted text without a name behind the scheme, and a quote that never closes.
package struct ChallengeParser: Sendable {
    /// How many challenges of one scheme are read of a response; further ones are left out, and no scheme's number
    /// keeps another's from being read. All unknown schemes count as one.
    package static let maximumChallengesOfScheme = 128
    /// How many are read in all: those of each known scheme and of the unknown ones.
    package static let maximumChallenges = maximumChallengesOfScheme * (AuthenticationMethod.allCases.count + 1)
    /// How many parameters a challenge may have; one with more isn't answered.
    package static let maximumParameters = 64

    private var challenges: [AuthenticationChallenge] = []
    private var counts = [Int](repeating: 0, count: AuthenticationMethod.allCases.count + 1)
    // Whether a parameter belongs to the last of `challenges`; else there is nothing that it could belong to.
    private var isOpen = false

    /// A parser that has seen no field yet.
    package init() {}

    /// Reads the next field's value.
    package mutating func parse(_ field: Span<UInt8>) {
        var index = 0
        while index < field.count {
            if field[index] == UInt8(ascii: ",") || Self.isSpace(field[index]) {
                index += 1
            } else {
                readElement(field, &index)
            }
        }
    }

    /// The challenges of all fields in their order; the parser is then as new.
    package mutating func finish() -> [AuthenticationChallenge] {
        let result = challenges
        self = ChallengeParser()
        return result
    }

    /// Reads from the first byte of a list element to its end: a parameter, or a scheme with what belongs to it.
    private mutating func readElement(_ field: Span<UInt8>, _ index: inout Int) {
        let name = Self.token(field, &index)
        guard !name.isEmpty else { return skipUnreadable(field, &index) }
        if let start = Self.valueStart(field, from: index) {
            index = start
            return readParameters(field, &index, firstName: name)
        }
        begin(schemeName: [UInt8](field.extracting(name)))
        guard !Self.isElementEnd(field, index) else { return }
        guard Self.isSpace(field[index]) else { return skipUnreadable(field, &index) }
        Self.skipSpaces(field, &index)
        guard !Self.isElementEnd(field, index) else { return }
        readBehindScheme(field, &index)
    }

    /// Reads what follows a scheme and blanks: token68, a first parameter, or a quoted text that has no name.
    private mutating func readBehindScheme(_ field: Span<UInt8>, _ index: inout Int) {
        if let range = Self.token68(field, from: index) {
            index = range.upperBound
            change { $0.token68 = [UInt8](field.extracting(range)) }
            return Self.skipSpaces(field, &index)
        }
        if field[index] == UInt8(ascii: "\"") {
            change { $0.isWellFormed = false }
            let text = Self.quotedString(field, &index)
            return readBehindValue(field, &index, isQuoteClosed: text.isClosed)
        }
        let name = Self.token(field, &index)
        guard !name.isEmpty, let start = Self.valueStart(field, from: index) else {
            return skipUnreadable(field, &index)
        }
        index = start
        readParameters(field, &index, firstName: name)
    }

    /// Reads parameters from the value of the first on; more than one where the comma between them is missing.
    private mutating func readParameters(_ field: Span<UInt8>, _ index: inout Int, firstName: Range<Int>) {
        var name = firstName
        while true {
            let isQuoted = index < field.count && field[index] == UInt8(ascii: "\"")
            let text = isQuoted ? Self.quotedString(field, &index) : Self.bareValue(field, &index)
            add(name: field.extracting(name), text)
            guard let next = nextName(field, &index, isQuoteClosed: isQuoted && text.isClosed) else { return }
            name = next
        }
    }

    private mutating func readBehindValue(_ field: Span<UInt8>, _ index: inout Int, isQuoteClosed: Bool) {
        guard let name = nextName(field, &index, isQuoteClosed: isQuoteClosed) else { return }
        readParameters(field, &index, firstName: name)
    }

    /// Goes to the end of the element; stops early, at a value, where a `name=` follows blanks behind a closed quote.
    private mutating func nextName(_ field: Span<UInt8>, _ index: inout Int, isQuoteClosed: Bool) -> Range<Int>? {
        guard !Self.isElementEnd(field, index) else { return nil }
        guard Self.isSpace(field[index]) else {
            skipUnreadable(field, &index)
            return nil
        }
        Self.skipSpaces(field, &index)
        guard !Self.isElementEnd(field, index) else { return nil }
        let name = Self.token(field, &index)
        guard isQuoteClosed, !name.isEmpty, let start = Self.valueStart(field, from: index) else {
            skipUnreadable(field, &index)
            return nil
        }
        index = start
        change { $0.isWellFormed = false }
        return name
    }

    private mutating func begin(schemeName: [UInt8]) {
        let challenge = AuthenticationChallenge(schemeName: schemeName)
        let kind = challenge.method.flatMap { AuthenticationMethod.allCases.firstIndex(of: $0) } ?? counts.count - 1
        isOpen = counts[kind] < Self.maximumChallengesOfScheme
        guard isOpen else { return }
        counts[kind] += 1
        challenges.append(challenge)
    }

    private mutating func change(_ body: (inout AuthenticationChallenge) -> Void) {
        if isOpen { body(&challenges[challenges.count - 1]) }
    }

    private mutating func add(name: Span<UInt8>, _ text: Text) {
        guard isOpen else { return }
        challenges[challenges.count - 1].add(name: name, text)
    }

    /// Gives up the challenge at hand and goes on behind the element; a comma inside quotes doesn't end one.
    private mutating func skipUnreadable(_ field: Span<UInt8>, _ index: inout Int) {
        change {
            $0.isReadable = false
            $0.isWellFormed = false
        }
        while index < field.count && field[index] != UInt8(ascii: ",") {
            if field[index] == UInt8(ascii: "\"") {
                _ = Self.quotedString(field, &index)
            } else {
                index += 1
            }
        }
    }
}

extension AuthenticationChallenge {
    fileprivate mutating func add(name: Span<UInt8>, _ text: ChallengeParser.Text) {
        let isRealm = ASCII.equalsIgnoringCase(name, "realm")
        if !text.isWellFormed || (isRealm && !text.isQuoted) { isWellFormed = false }
        if !text.isClean || token68 != nil || parameters.count >= ChallengeParser.maximumParameters {
            isReadable = false
        }
        if let index = parameters.firstIndex(where: { ASCII.equalsIgnoringCase($0.name.span, name) }) {
            if parameters[index].value != text.value { isReadable = false }
            isWellFormed = false
            return
        }
        guard parameters.count < ChallengeParser.maximumParameters else { return }
        if !text.isClosed { unclosedParameter = parameters.count }
        parameters.append(Parameter(name: [UInt8](name).map(ASCII.lowercased), value: text.value))
    }
}
