internal import Authentication
internal import Bytes

extension Explanation {
    /// The value for a challenge with everything that depends on the secret masked.
    static func value(for challenge: AuthenticationChallenge, _ rule: Rule) -> String {
        guard let credential = rule.credential, let method = challenge.method else { return "***" }
        let login = login(of: credential, for: method).map { " (\($0))" } ?? ""
        switch method {
        case .digest: return digestValue(for: challenge, credential) ?? "Digest ***\(login)"
        case .basic: return "Basic ***\(login)"
        case .ntlm: return "NTLM ***\(login)"
        case .negotiate: return "Negotiate ***\(login)"
        case .bearer: return "Bearer ***\(login)"
        case .clientCertificate: return "***"
        }
    }

    /// The fields that are added, their values masked.
    static func fieldsLines(of side: Side) -> [Line] {
        switch side.fields {
        case .none: return []
        case .add(let rule):
            let fields = rule.fieldNames.map { "\($0): ***" }.joined(separator: ", ")
            let by = rule.credential.flatMap { $0.deferred.map { " (\(words(of: $0)))" } } ?? ""
            return [Line(topic: "fields", text: "\(fields) by \(rule.name)\(by)")]
        case .heldBack(let rule, let reason):
            return [Line(topic: "fields", text: "none: \(rule.name) is held back, \(reason.code)")]
        }
    }

    private static func digestValue(for challenge: AuthenticationChallenge, _ credential: Credential) -> String? {
        guard let digest = DigestChallenge(challenge), let username = username(of: credential) else { return nil }
        let name = digest.userhash ? "userhash of \(quoted(username))" : quoted(username)
        var parts = ["username=\(name)", "realm=\(quoted(digest.realm))"]
        if let algorithm = digest.algorithmSpelling {
            parts.append("algorithm=\(printable(algorithm))")
        }
        switch digest.qop {
        case .none: break
        case .auth: parts.append("qop=auth")
        case .authInt: parts.append("qop=auth-int")
        }
        return "Digest \(parts.joined(separator: ", ")), response=\"***\""
    }

    private static func username(of credential: Credential) -> [UInt8]? {
        switch credential.kind {
        case .password(let username, _, _), .ntHash(let username, _, _), .digestHash(let username, _, _): username
        case .kerberos, .token, .header, .clientCertificate, .deferred: nil
        }
    }

    /// Who logs in, as far as that is no secret.
    private static func login(of credential: Credential, for method: AuthenticationMethod) -> String? {
        switch credential.kind {
        case .password(let username, let domain, _), .ntHash(let username, let domain, _):
            let isOfDomain = method == .ntlm || method == .negotiate
            let suffix = isOfDomain ? domain.map { ", domain \(quoted(Array($0.utf8)))" } ?? "" : ""
            return "username \(quoted(username))\(suffix)"
        case .digestHash(let username, _, _): return "username \(quoted(username))"
        case .kerberos(let kerberos): return words(of: kerberos)
        case .deferred(let deferred): return words(of: deferred)
        case .token, .header, .clientCertificate: return nil
        }
    }

    private static func words(of kerberos: KerberosCredential) -> String {
        let principal = kerberos.principal.map { "principal \(quoted(Array($0.utf8))), " } ?? ""
        switch kerberos.source {
        case .defaultCache: return principal + "ticket of the default cache"
        case .cache(let name): return principal + "ticket of the cache \(quoted(Array(name.utf8)))"
        case .keytab(let path, _): return principal + "keytab \(quoted(Array(path.utf8)))"
        case .password: return principal + "password"
        }
    }

    /// Where the secret is fetched; a program's arguments may hold one.
    private static func words(of deferred: DeferredCredential) -> String {
        switch deferred {
        case .programs(let credential): "by the program \(program(credential.programs.first?.arguments))"
        case .helper(let arguments): "by the helper \(program(arguments))"
        case .netrc(let path): "by the host's entry of \(quoted(Array(path.utf8)))"
        case .oauth2(let client): "token of \(quoted(Array(client.tokenEndpoint.utf8)))"
        }
    }

    private static func program(_ arguments: [String]?) -> String {
        quoted(Array((arguments?.first ?? "").utf8))
    }
}
