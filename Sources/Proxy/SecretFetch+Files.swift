internal import Authentication
internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import Glibc
internal import Tokens

extension SystemError {
    /// A disk that doesn't answer.
    static let timedOut = SystemError(.receive, code: ETIMEDOUT)
}

extension SecretFetch {
    /// Reads a token of the rule file from its file again, since it was refused.
    ///
    /// What can't be read, or is no token, leaves it as it is.
    func readToken() {
        let source = errand.question.credential
        guard case .token(_, let file?) = source.kind else {
            return obtained(source.kind, sent: loop.now, lifetime: nil)
        }
        let sent = loop.now
        read(file) { [unowned self] result in
            let token = (try? result.get())?.withoutNewline
            let isToken = token?.withBytes { TokenResponse.isToken($0) } ?? false
            let kind = isToken ? token.map { Credential.Kind.token($0, file: file) } : nil
            obtained(kind ?? source.kind, sent: sent, lifetime: nil)
        }
    }
}

extension Secret {
    /// The same less one LF or CRLF at its end.
    var withoutNewline: Secret {
        withBytes { bytes in
            var count = bytes.count
            if count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
            if count > 0, count < bytes.count, bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
            return Secret(bytes.extracting(0..<count))
        }
    }
}
