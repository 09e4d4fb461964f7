internal import Bytes
internal import Crypto
package import HTTP

/// The text that git's credential helpers read and print: lines of `key=value`, and an empty one at the end.
package enum CredentialHelperText {
    /// What a helper answered to `get`.
    package enum Answer: Sendable {
        /// A login or a Bearer token; when it ends, in seconds of Unix time.
        case found(Credential.Kind, expires: Int64?)
        /// It knows none, or only a part of one.
        case none
        /// It wants nobody else to be asked.
        case quit
        /// It printed what can't be read or used, with the reason in a few words that repeat nothing of it.
        case failed(String)
    }

    /// What is asked for a server, or with the credential that it gave what is told of it; nil where a value has a line
    /// end or NUL, which the protocol can't carry.
    ///
    /// As with git, the port is left out where it is the protocol's own, and there is no path: helpers compare it whole.
    package static func request(for server: Origin, credential: Credential.Kind? = nil) -> [UInt8]? {
        var text = HelperLines()
        text.append("capability[]", Array("authtype".utf8).span)
        text.append("protocol", Array(server.scheme.text.utf8).span)
        text.append("host", Array(server.authority.utf8).span)
        switch credential {
        case .password(let username, _, let password):
            text.append("username", username.span)
            password.withBytes { text.append("password", $0) }
        case .token(let token, _):
            text.append("authtype", Array("Bearer".utf8).span)
            token.withBytes { text.append("credential", $0) }
        case .ntHash, .digestHash, .kerberos, .header, .clientCertificate, .deferred, nil: break
        }
        return text.finish()
    }

    /// Reads what a helper printed; what has ended at `now`, in seconds of Unix time, counts as none.
    package static func answer(_ text: Span<UInt8>, now: Int64) -> Answer {
        var fields = HelperFields()
        var start = 0
        while start < text.count {
            let end = ASCII.firstIndex(of: UInt8(ascii: "\n"), in: text, from: start) ?? text.count
            let isCRLF = end > start && text[end - 1] == UInt8(ascii: "\r")
            let line = text.extracting(start..<(isCRLF ? end - 1 : end))
            // An empty line ends the answer.
            if line.count == 0 { break }
            if let fault = fields.read(line) { return .failed(fault) }
            start = end + 1
        }
        return fields.answer(now: now)
    }
}

/// Writes the protocol's lines.
private struct HelperLines {
    private var bytes: [UInt8] = []
    private var isWritable = true

    init() {
        // Growing would leave copies of a secret behind.
        bytes.reserveCapacity(4096)
    }

    mutating func append(_ key: String, _ value: Span<UInt8>) {
        if bytes.capacity < bytes.count + key.utf8.count + value.count + 3 {
            var larger: [UInt8] = []
            larger.reserveCapacity(2 * bytes.capacity + value.count + 64)
            larger += bytes
            Wiping.wipe(&bytes)
            bytes = larger
        }
        bytes += key.utf8
        bytes.append(UInt8(ascii: "="))
        for index in value.indices {
            let byte = value[index]
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == 0 { isWritable = false }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func finish() -> [UInt8]? {
        bytes.append(UInt8(ascii: "\n"))
        if !isWritable { Wiping.wipe(&bytes) }
        return isWritable ? bytes : nil
    }
}

/// What a helper's lines say.
private struct HelperFields {
    private var username: [UInt8]?
    private var password: Secret?
    private var scheme: [UInt8]?
    private var credential: Secret?
    private var expires: Int64?
    private var quits = false

    /// Reads one line; says what is wrong with it.
    mutating func read(_ line: Span<UInt8>) -> String? {
        guard let equals = ASCII.firstIndex(of: UInt8(ascii: "="), in: line) else {
            return "a line without '='"
        }
        let value = line.extracting((equals + 1)..<line.count)
        for index in line.indices where ASCII.isControl(line[index]) { return "a control character" }
        let key = line.extracting(0..<equals)
        switch true {
        case ASCII.equals(key, "username"): username = [UInt8](value)
        case ASCII.equals(key, "password"): password = Secret(value)
        case ASCII.equals(key, "authtype"): scheme = [UInt8](value)
        case ASCII.equals(key, "credential"): credential = Secret(value)
        case ASCII.equals(key, "quit"): quits = ASCII.equals(value, "1") || ASCII.equalsIgnoringCase(value, "true")
        case ASCII.equals(key, "password_expiry_utc"):
            // As git does, what is no number says nothing.
            expires = ASCII.decimal(value).flatMap { Int64(exactly: $0) }
        default: break
        }
        return nil
    }

    func answer(now: Int64) -> CredentialHelperText.Answer {
        if quits { return .quit }
        if let expires, expires <= now { return .none }
        if let scheme, let credential, ASCII.equalsIgnoringCase(scheme.span, "bearer") {
            return .found(.token(credential, file: nil), expires: expires)
        }
        if let username, let password {
            return .found(.password(username: username, domain: nil, password: password), expires: expires)
        }
        return scheme == nil ? .none : .failed("an 'authtype' other than Bearer")
    }
}
