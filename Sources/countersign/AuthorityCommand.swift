internal import Bytes
internal import Configuration
internal import Crypto
internal import Glibc
internal import Rules
internal import TLS

/// `countersign ca init`: an authority of one's own, whose leafs clients see in place of a server's (I-4).
enum AuthorityCommand {
    private struct Place {
        let certificate: String
        let key: String
    }

    /// Makes the authority and tells how it comes into use; returns the exit code.
    static func make(_ terms: AuthorityTerms, out: (String) -> Void, problem: (String) -> Void) -> Int32 {
        guard let place = place(terms) else {
            problem("countersign: there is no HOME: say where with --directory DIR")
            return 1
        }
        do {
            let authority = try CertificateAuthority.make(
                name: terms.name ?? usualName,
                constraints: terms.constraints,
                days: terms.days,
                now: SystemFiles.now
            )
            try write(authority, to: place, replaces: terms.replaces)
            tell(authority, place, terms, out)
            return 0
        } catch let failure as NewFile.Failure {
            problem("countersign: \(failure.message)")
        } catch {
            problem("countersign: no authority was made: \(error)")
        }
        return 1
    }

    private static func place(_ terms: AuthorityTerms) -> Place? {
        if let certificate = terms.certificate, let key = terms.key {
            return Place(certificate: NewFile.absolute(certificate), key: NewFile.absolute(key))
        }
        let usual = StateLocation(state: nil) { unsafe getenv($0).map { unsafe String(cString: $0) } }
        guard var folder = terms.directory.map(NewFile.absolute) ?? usual.folder else { return nil }
        while folder.hasSuffix("/") { folder.removeLast() }
        return Place(certificate: folder + "/authority.pem", key: folder + "/authority.key")
    }

    /// Told from those of other machines wherever clients list what they trust.
    private static var usualName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "countersign" }
        let host = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String("countersign \(host)".unicodeScalars.prefix(64))
    }

    private static func write(_ authority: CertificateAuthority, to place: Place, replaces: Bool) throws {
        for path in [place.key, place.certificate] {
            if !replaces, NewFile.isThere(path) { throw NewFile.Failure(isThere: path) }
            try NewFile.makeFolder(of: path)
        }
        let pem = try authority.certificate.pem
        try authority.privateKeyPEM.withBytes { (bytes) throws(NewFile.Failure) in
            let key = try NewFile(place.key, mode: 0o600, bytes: bytes)
            let certificate = try NewFile(place.certificate, mode: 0o644, bytes: pem.span)
            try key.publish(replaces: replaces)
            do throws(NewFile.Failure) { try certificate.publish(replaces: replaces) } catch {
                // A key without its certificate would stand in the way of the next try.
                if !replaces { unsafe unlink(place.key) }
                throw error
            }
        }
    }

    private static func tell(
        _ authority: CertificateAuthority,
        _ place: Place,
        _ terms: AuthorityTerms,
        _ out: (String) -> Void
    ) {
        let file = YAMLText.scalar(place.certificate)
        for line in AuthorityDescription(authority.certificate, path: place.certificate).lines { out(line) }
        out("key          \(place.key), for this user alone: whoever reads it can be any server to your clients")
        out("")
        out("In the rule file:")
        out("")
        out("interception:")
        out("  authority: { certificate: \(file), private_key: { file: \(YAMLText.scalar(place.key)) } }")
        if !terms.hosts.isEmpty { out("  hosts: [\(terms.hosts.map(YAMLText.scalar).joined(separator: ", "))]") }
        out("")
        out("Clients trust it by one of these:")
        out("")
        let shell = ShellText.word(place.certificate)
        for line in [
            "curl --cacert \(shell)          or CURL_CA_BUNDLE",
            "export SSL_CERT_FILE=\(shell)   many programs; for Python REQUESTS_CA_BUNDLE, for git GIT_SSL_CAINFO",
            "export NODE_EXTRA_CA_CERTS=\(shell)",
            "keytool -importcert -cacerts -noprompt -alias countersign -file \(shell)",
            "sudo cp \(shell) /usr/local/share/ca-certificates/countersign.crt && sudo update-ca-certificates",
        ] { out(line) }
    }
}

/// A value as it may stand in a rule file.
enum YAMLText {
    /// The text alone where it is nothing but a path or a name, else in double quotes.
    static func scalar(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || "/._-".utf8.contains($0)
        }
        if isPlain, let first = text.utf8.first, first != UInt8(ascii: "-") { return text }
        return "\"\(text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())\""
    }
}
