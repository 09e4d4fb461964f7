internal import Glibc

/// A certificate authority of the test's own, made by the openssl program in a scratch folder.
package final class TestAuthority: Sendable {
    /// What a leaf is for.
    package enum Purpose: String, Sendable {
        case server = "serverAuth"
        case client = "clientAuth"
    }

    /// A certificate's files.
    package struct Leaf: Sendable {
        package let certificate: String
        package let key: String
        /// Its serial number in hexadecimal.
        let serial: String
        /// Where the files are.
        let folder: ScratchFolder

        /// The same with its certificate in another file, which others may follow.
        package func with(certificate: String) -> Leaf {
            Leaf(certificate: certificate, key: key, serial: serial, folder: folder)
        }
    }

    /// What a certificate says.
    package struct Terms: Sendable {
        /// The common name, which is all of the subject.
        package var name: String
        /// As lines of an openssl configuration.
        package var extensions: [String]
        /// Days from now.
        package var begin = -1
        /// Days from now.
        package var end = 20
        package var digest = "sha256"
        /// What `openssl req` makes as a new key.
        package var newKey = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        /// The file of a key in place of a new one.
        package var key: String?
        var isSelfSigned = false

        /// Terms for an RSA key of this many bits.
        package mutating func useRSA(_ bits: Int) { newKey = ["rsa:\(bits)"] }
    }

    private let folder: ScratchFolder
    /// Its own certificate.
    package let own: Leaf
    private let count = Locked(0)

    /// Makes a root, or an authority below `issuer`.
    package init(
        _ name: String = "Test authority",
        below issuer: TestAuthority? = nil,
        _ change: (inout Terms) -> Void = { _ in }
    ) throws {
        folder = try ScratchFolder("authority")
        let identifier = issuer == nil ? [] : ["authorityKeyIdentifier=keyid"]
        var terms = Terms(
            name: name,
            extensions: [
                "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign",
                "subjectKeyIdentifier=hash",
            ] + identifier,
            isSelfSigned: issuer == nil
        )
        change(&terms)
        own = try TestAuthority.make(terms, in: folder, "ca", issuer: issuer?.own)
    }

    /// The path of its certificate.
    package var certificate: String { own.certificate }

    /// The path of its key.
    package var key: String { own.key }

    /// Makes a leaf; `names` are subjectAltNames as openssl writes them, `days` may be negative: it has expired then.
    package func leaf(
        _ name: String,
        names: String?,
        purpose: Purpose = .server,
        days: Int = 20,
        _ change: (inout Terms) -> Void = { _ in }
    ) throws -> Leaf {
        var terms = Terms(
            name: name,
            extensions: [
                "basicConstraints=CA:FALSE", "keyUsage=critical,digitalSignature",
                "extendedKeyUsage=\(purpose.rawValue)", "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid",
            ] + (names.map { ["subjectAltName=\($0)"] } ?? []),
            begin: min(-1, days - 1),
            end: days
        )
        change(&terms)
        return try issue(terms)
    }

    /// Makes a certificate of these very terms.
    package func issue(_ terms: Terms) throws -> Leaf {
        try TestAuthority.make(terms, in: folder, newName(), issuer: own)
    }

    /// Makes a certificate for another authority's name and key: a second way to what it issues.
    package func crossSign(_ other: TestAuthority, name: String) throws -> Leaf {
        try issue(
            Terms(
                name: name,
                extensions: [
                    "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign",
                    "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid",
                ],
                key: other.key
            )
        )
    }

    /// The pin of a certificate's key as RFC 7469 has it, by the openssl program.
    package func pin(of certificate: String) throws -> String {
        let pipeline = """
            openssl x509 -in '\(certificate)' -pubkey -noout | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | openssl base64
            """
        let shell = try TestProcess("sh", ["-c", pipeline])
        guard try shell.waitForExit() == .status(0) else { throw TestFailure(shell.errors) }
        return "sha256/" + shell.output.filter { $0 != "\n" }
    }
}

// MARK: revocation

extension TestAuthority {
    /// The file of a list in which `leafs` stand as revoked.
    package func revocationList(_ leafs: [Leaf]) throws -> String {
        let name = newName()
        let configuration = try TestAuthority.database(folder, name, revoked: leafs)
        let list = folder("\(name)/list.pem")
        try openssl(
            ["ca", "-config", configuration, "-gencrl", "-cert", certificate, "-keyfile", key, "-out", list]
        )
        return list
    }

    /// The file of an OCSP answer about `leaf` [RFC 6960].
    package func staple(_ leaf: Leaf, isRevoked: Bool) throws -> String {
        let name = newName()
        _ = try TestAuthority.database(folder, name, revoked: isRevoked ? [leaf] : [], good: isRevoked ? [] : [leaf])
        let answer = folder("\(name)/answer.der")
        try openssl([
            "ocsp", "-index", folder("\(name)/index"), "-CA", certificate, "-rsigner", certificate, "-rkey", key,
            "-issuer", certificate, "-cert", leaf.certificate, "-respout", answer, "-ndays", "1", "-noverify",
        ])
        return answer
    }
}

extension TestAuthority {
    private func newName() -> String {
        count.withLock { count in
            count += 1
            return "\(count)"
        }
    }

    private static func make(
        _ terms: Terms,
        in folder: ScratchFolder,
        _ name: String,
        issuer: Leaf?
    ) throws -> Leaf {
        try folder.folder(name)
        let key = terms.key ?? folder("\(name)/key.pem")
        let serial = String(UInt64.random(in: 1 << 60...UInt64(Int64.max)), radix: 16, uppercase: true)
        let made = Leaf(certificate: folder("\(name)/certificate.pem"), key: key, serial: serial, folder: folder)
        let request = folder("\(name)/request.pem")
        let source = terms.key.map { ["-key", $0] } ?? ["-newkey"] + terms.newKey + ["-nodes", "-keyout", key]
        try openssl(["req", "-new"] + source + ["-subj", "/CN=\(terms.name)", "-out", request])
        let extensions = terms.extensions.map { "\($0)\n" }.joined()
        let signer =
            terms.isSelfSigned
            ? ["-selfsign", "-keyfile", key] : ["-cert", issuer?.certificate ?? "", "-keyfile", issuer?.key ?? ""]
        let dates = ["-startdate", date(terms.begin), "-enddate", date(terms.end)]
        try openssl(
            ["ca", "-batch", "-notext", "-config", database(folder, name, serial: serial)] + signer + dates
                + ["-md", terms.digest, "-in", request, "-out", made.certificate]
                + ["-extfile", folder.write(extensions, to: "\(name)/extensions")]
        )
        return made
    }

    /// Writes what `openssl ca` works on, for one call of its own, so that they may run at once; gives its configuration.
    private static func database(
        _ folder: ScratchFolder,
        _ name: String,
        serial: String = "01",
        revoked: [Leaf] = [],
        good: [Leaf] = []
    ) throws -> String {
        try folder.folder(name)
        let end = date(30).dropFirst(2)
        let lines =
            revoked.map { "R\t\(end)\t\(date(-1).dropFirst(2))\t\($0.serial)\tunknown\t/CN=leaf\n" }
            + good.map { "V\t\(end)\t\t\($0.serial)\tunknown\t/CN=leaf\n" }
        try folder.write(lines.joined(), to: "\(name)/index")
        try folder.write("\(serial)\n", to: "\(name)/serial")
        let configuration = """
            [ca]
            default_ca = test
            [test]
            database = \(folder("\(name)/index"))
            serial = \(folder("\(name)/serial"))
            new_certs_dir = \(folder(name))
            default_md = sha256
            default_crl_days = 2
            policy = names
            [names]
            commonName = supplied

            """
        return try folder.write(configuration, to: "\(name)/ca.cnf")
    }

    /// A day from now as `openssl ca` takes it.
    private static func date(_ days: Int) -> String {
        var moment = time(nil) + days * 86_400
        var parts = unsafe tm()
        unsafe gmtime_r(&moment, &parts)
        let numbers = unsafe [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
        return unsafe "\(parts.tm_year + 1900)" + numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined() + "Z"
    }
}

private func openssl(_ arguments: [String]) throws {
    let process = try TestProcess("openssl", arguments)
    guard try process.waitForExit() == .status(0) else {
        throw TestFailure("openssl \(arguments.joined(separator: " ")): \(process.errors)")
    }
}
