internal import Bytes

/// Who logs in, as the rule file has it: `DOMAIN\user`, `user@realm`, a bare name, or a name with its domain beside it.
package struct LoginName: Equatable, Sendable {
    /// The name as the peer gets it.
    package let user: String
    /// The domain; nil where none is written, or where it is part of a name like `user@realm`.
    package let domain: String?

    /// The name in UTF-8, and the domain, which is split off the name where it isn't given.
    package init(username: [UInt8], domain: String?) {
        let text = String(decoding: username, as: UTF8.self)
        if domain == nil, let border = text.utf8.firstIndex(of: UInt8(ascii: "\\")) {
            self.domain = String(text[..<border])
            user = String(text[text.utf8.index(after: border)...])
        } else {
            self.domain = domain
            user = text
        }
    }

    /// As the NTLMSSP mechanism takes a name: a backslash before `@` says that it is none of a domain's.
    var ntlm: String {
        if let domain { return "\(domain)\\\(user)" }
        guard let border = user.utf8.firstIndex(of: UInt8(ascii: "@")) else { return user }
        return "\(user[..<border])\\\(user[border...])"
    }

    /// As a Kerberos principal: `user@realm` as written, else with the domain as its realm, in upper case, where it has
    /// a dot, else in the default realm.
    package var principal: String {
        guard !user.utf8.contains(UInt8(ascii: "@")), let domain, domain.utf8.contains(UInt8(ascii: ".")) else {
            return user
        }
        return "\(user)@\(String(decoding: domain.utf8.map(LoginName.upperCase), as: UTF8.self))"
    }

    private static func upperCase(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte & ~0x20 : byte
    }
}
