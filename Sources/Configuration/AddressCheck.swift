internal import Bytes
internal import HTTP
internal import Rules
internal import Trust

extension ScalarType {
    /// What is wrong with an address to listen on, a proxy's URL, or another URL.
    func addressProblem(_ text: String) -> ScalarProblem? {
        switch self {
        case .listenerAddress:
            switch ListenerAddress.read(text) {
            case .success: return nil
            case .failure(let problem): return problem
            }
        case .proxyURL:
            switch ProxyURL.read(text) {
            case .success: return nil
            case .failure(let problem): return problem
            }
        case .fixedOrigin:
            switch FixedURL.read(text) {
            case .success: return nil
            case .failure(let problem): return problem
            }
        case .hostAndPort:
            switch HostAndPort.read(text, of: "a target") {
            case .success(let read): return read.port == nil ? .wrong("the port is missing: write HOST:PORT") : nil
            case .failure(let problem): return problem
            }
        default:
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
                return .wrong("a URL begins with https:// or http://")
            }
            let authority = text[(text.firstRange(of: "//")?.upperBound ?? text.startIndex)...].prefix {
                !"/?#".contains($0)
            }
            if text.contains("@") || seemsToHoldLogin(authority) { return .wrong("a URL can't hold a login here") }
            let bytes = Array(text.utf8)
            let target = RequestTarget.parse(bytes.span, in: bytes.indices, method: .get)
            return target?.scheme == nil ? .wrong("\(Quoting.quoted(text)) is no URL: write https://HOST/PATH") : nil
        }
    }

    /// What is wrong with a pin, a date or an upgrade.
    func trustProblem(_ text: String) -> ScalarProblem? {
        switch self {
        case .pin: return Self.pinProblem(text)
        case .date:
            return ScalarValue.date(text) == nil ? .wrong("\(Quoting.quoted(text)) is no date: write YYYY-MM-DD") : nil
        default:
            let port = text.split(separator: ":", omittingEmptySubsequences: false).dropFirst().first
            let isRight =
                text == "https" || (text.hasPrefix("https:") && port.flatMap { ScalarValue.port(String($0)) } != nil)
            return isRight ? nil : .wrong("\(Quoting.quoted(text)) must be 'https' or 'https:PORT'")
        }
    }

    private static func pinProblem(_ text: String) -> ScalarProblem? {
        guard text.hasPrefix("sha256/") else { return .wrong("a pin is sha256/BASE64 or { certificate: FILE }") }
        if let hash = text.firstIndex(of: "#") {
            return text[..<hash].hasSuffix("=")
                ? .wrong("the comment belongs to the pin: write a blank before '#'") : .wrong("a pin has no '#'")
        }
        return PublicKeyPin(text) == nil ? .wrong("a pin is 'sha256/' and 44 characters of base64 (32 bytes)") : nil
    }
}
