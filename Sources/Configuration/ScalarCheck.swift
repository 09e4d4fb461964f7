internal import Bytes
internal import Rules

extension ScalarType {
    /// What is wrong with a text that stands where this type is asked for; nil where it is right.
    func problem(_ text: String, isPlain: Bool) -> ScalarProblem? {
        if isPlain, text.hasPlaceholder {
            return .wrong("variables and templates aren't filled in here: write what they stand for")
        }
        switch self {
        case .text: return nil
        case .nonEmptyText, .reference, .routeVia: return text.isEmpty ? .wrong("an empty text can't stand here") : nil
        case .boolean: return ScalarValue.boolean(text) == nil ? .wrong(Self.booleanAdvice(text)) : nil
        case .integer(let range): return Self.integerProblem(text, range)
        case .duration(let zero): return Self.durationProblem(text, zero: zero)
        case .withholding: return text == "until-changed" ? nil : Self.durationProblem(text, zero: false)
        case .size: return Self.sizeProblem(text)
        case .port, .portOrAny: return portProblem(text)
        case .version:
            return text == "1" ? nil : .wrong("'version' must be 1: no other version of this format is known")
        case .choice(let words): return Self.choiceProblem(text, words)
        case .method: return Self.methodProblem(text)
        case .cleartext:
            if AuthenticationWords.cleartext.contains(text) {
                return .wrong("'cleartext' takes true, false or a list: write [\(text)]")
            }
            return ScalarValue.boolean(text) == nil ? .wrong("must be \(expected)") : nil
        case .ipAddress: return IPAddress(text) == nil ? .wrong("\(Quoting.quoted(text)) is no IP address") : nil
        case .hostPattern: return Self.hostPatternProblem(text)
        case .client: return Self.clientProblem(text)
        case .path, .glob: return Self.pathProblem(text)
        case .pathPrefix: return Self.pathPrefixProblem(text)
        case .token: return Self.tokenProblem(text)
        case .listenerAddress, .proxyURL, .fixedOrigin, .hostAndPort, .url: return addressProblem(text)
        case .nameServer:
            return ScalarValue.nameServer(text) == nil
                ? .wrong("\(Quoting.quoted(text)) is no name server: write its IP address, or IP:PORT") : nil
        case .permissions:
            return ScalarValue.permissions(text) == nil
                ? .wrong("\(Quoting.quoted(text)) is no set of permissions: write them in octal, as \"0660\"") : nil
        case .pin, .date, .upgrade: return trustProblem(text)
        }
    }

    /// Whether `problem` never repeats the text, so that it may be told of a secret's parts, too.
    var quotesNothing: Bool {
        switch self {
        case .text, .nonEmptyText, .path: true
        default: false
        }
    }

    private static func booleanAdvice(_ text: String) -> String {
        switch text.lowercased() {
        case "yes", "on", "y", "1", "true": "\(Quoting.quoted(text)) is no boolean here: write true"
        case "no", "off", "n", "0", "false": "\(Quoting.quoted(text)) is no boolean here: write false"
        default: "\(Quoting.quoted(text)) is neither true nor false"
        }
    }

    private static func integerProblem(_ text: String, _ range: ClosedRange<Int>) -> ScalarProblem? {
        guard let number = ScalarValue.integer(text) else {
            return .wrong("\(Quoting.quoted(text)) is no number: write digits only")
        }
        return range.contains(number) ? nil : .wrong("must be between \(range.lowerBound) and \(range.upperBound)")
    }

    private static func durationProblem(_ text: String, zero: Bool) -> ScalarProblem? {
        guard let duration = ScalarValue.duration(text) else {
            let isNumber = ScalarValue.integer(text) != nil
            let advice = isNumber ? "needs a unit: \(text)s" : "is no duration: write 250ms, 30s, 5m, 12h or 7d"
            return .wrong("\(Quoting.quoted(text)) \(advice)")
        }
        return duration == 0 && !zero ? .wrong("a duration of 0 would end everything at once") : nil
    }

    private static func sizeProblem(_ text: String) -> ScalarProblem? {
        if ScalarValue.size(text) != nil { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text[digits.endIndex...].lowercased().filter { $0 != " " }
        let meant = [
            "k": "KiB", "kb": "KiB", "kib": "KiB", "m": "MiB", "mb": "MiB", "mib": "MiB", "g": "GiB", "gb": "GiB",
            "gib": "GiB",
        ][unit]
        let example = meant.map { "\(digits)\($0)" } ?? "64KiB, 1MiB, 2GiB or a number of bytes"
        return .wrong("\(Quoting.quoted(text)) is no size: write \(example)")
    }

    private func portProblem(_ text: String) -> ScalarProblem? {
        if ScalarValue.port(text) != nil { return nil }
        if case .portOrAny = self, text == "any" { return nil }
        return .wrong("\(Quoting.quoted(text)) is no port: write a number between 1 and 65535")
    }

    private static func choiceProblem(_ text: String, _ words: [String]) -> ScalarProblem? {
        if words.contains(text) { return nil }
        let advice =
            Suggestion.nearest(to: text, in: words).map { "did you mean '\($0)'?" } ?? "write \(words.joinedAsChoice)"
        return .wrong("\(Quoting.quoted(text)) isn't known here; \(advice)")
    }

    private static func methodProblem(_ text: String) -> ScalarProblem? {
        let httpMethods = ["get", "head", "post", "put", "delete", "connect", "options", "trace", "patch"]
        if httpMethods.contains(text.lowercased()) {
            return .wrong(
                "\(Quoting.quoted(text)) is a method of HTTP; 'method' names methods of authentication: "
                    + AuthenticationWords.methods.joinedAsChoice
            )
        }
        return choiceProblem(text, AuthenticationWords.methods)
    }

    private static func hostPatternProblem(_ text: String) -> ScalarProblem? {
        do throws(HostPatternError) {
            _ = try HostPattern(text)
            return nil
        } catch {
            return .wrong("\(Quoting.quoted(text)) is no host pattern: \(error.message)")
        }
    }

    private static func clientProblem(_ text: String) -> ScalarProblem? {
        do throws(ClientPatternError) {
            // Whether there is a user of a name is looked up by the reader, once.
            _ = try ClientPattern(text, accounts: Accounts(user: { _ in 0 }, group: { _ in 0 }))
            return nil
        } catch {
            return .wrong(error.message)
        }
    }

    private static func pathPrefixProblem(_ text: String) -> ScalarProblem? {
        do throws(PathPatternError) {
            _ = try PathPattern(text)
            return nil
        } catch {
            return .wrong("\(Quoting.quoted(text)): \(error.message)")
        }
    }

    private static func pathProblem(_ text: String) -> ScalarProblem? {
        if text.isEmpty { return .wrong("an empty path") }
        if text.utf8.contains(0) { return .wrong("a path can't contain a NUL character") }
        if text.hasPrefix("~"), text != "~", !text.hasPrefix("~/") {
            return .wrong("'~' is the home of the user that runs the proxy; for another user's write the whole path")
        }
        return nil
    }

    private static func tokenProblem(_ text: String) -> ScalarProblem? {
        let bytes = Array(text.utf8)
        return bytes.isEmpty || !bytes.allSatisfy(ASCII.isToken)
            ? .wrong("\(Quoting.quoted(text)) must be one word of letters, digits, '-', '.' and '_'") : nil
    }
}
