package import Bytes
package import Crypto

/// What a token endpoint answered [RFC 6749, sections 5.1 and 5.2].
package enum TokenResponse: Sendable {
    /// A Bearer token, and how long it is said to hold from the request on; nil: nothing is said.
    case token(Secret, lifetime: Nanoseconds?)
    /// It gave none; `error` is the code of its answer where that is one that standards know.
    case refused(error: String?)
    /// It is no token response.
    case malformed(Fault)

    /// Why a 2xx response gave no token; none repeats anything of it.
    package enum Fault: String, Sendable {
        case json = "its response is no JSON object"
        case noToken = "its response has no access_token"
        case tokenType = "its token is no Bearer token"
        case token = "its token has characters that a token can't have, or is too long"
    }

    /// Longer ones don't fit into a field [RFC 6750, section 2.1].
    private static let longestToken = 64 * 1024 - 7
    /// What nobody outlives, in seconds: 100 years.
    private static let longestLifetime = 3_155_760_000.0

    /// The codes of RFC 6749, section 5.2, RFC 8707, section 2, RFC 8628, section 3.5, and OpenID Connect.
    private static let knownErrors = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "invalid_target", "access_denied", "slow_down", "server_error", "temporarily_unavailable",
        "interaction_required", "consent_required", "login_required",
    ]

    /// Reads the body of a response with this status.
    package init(status: UInt16, body: Span<UInt8>) {
        let object = JSONObject(body)
        switch object {
        case .some(let object):
            let error = object.value("error")
            if !(200..<300).contains(status) || error != nil {
                self = .refused(error: Self.code(error))
            } else {
                self = Self.read(object)
            }
        case .none: self = (200..<300).contains(status) ? .malformed(.json) : .refused(error: nil)
        }
    }

    private static func read(_ object: borrowing JSONObject) -> TokenResponse {
        guard case .text(let token) = object.value("access_token") else { return .malformed(.noToken) }
        guard case .text(let type) = object.value("token_type"), type.withBytes({ isBearer($0) }) else {
            return .malformed(.tokenType)
        }
        guard token.withBytes({ isToken($0) }) else { return .malformed(.token) }
        return .token(token, lifetime: lifetime(object.value("expires_in")))
    }

    /// Visible ASCII, so that it is one word of a field's value; servers keep to no narrower grammar.
    package static func isToken(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= longestToken else { return false }
        for index in bytes.indices where !(0x21...0x7e).contains(bytes[index]) { return false }
        return true
    }

    private static func isBearer(_ bytes: Span<UInt8>) -> Bool { ASCII.equalsIgnoringCase(bytes, "bearer") }

    /// Numbers and texts of digits; anything else says nothing.
    private static func lifetime(_ value: JSONObject.Value?) -> Nanoseconds? {
        let seconds: Double
        switch value {
        case .number(let number): seconds = number
        case .text(let text):
            guard let number = text.withBytes({ ASCII.decimal(ASCII.trimmingBlanks($0)) }) else { return nil }
            seconds = Double(number)
        case .other, nil: return nil
        }
        guard seconds > 0 else { return 0 }
        return Nanoseconds(min(seconds, longestLifetime) * 1e9)
    }

    private static func code(_ value: JSONObject.Value?) -> String? {
        guard case .text(let text) = value else { return nil }
        return text.withBytes { bytes in knownErrors.first { ASCII.equals(bytes, $0) } }
    }
}
