internal import Bytes
internal import Configuration
internal import Crypto
internal import Rules
internal import TLS
internal import Trust

/// What is told of an authority's certificate.
struct AuthorityDescription {
    let lines: [String]

    init(_ certificate: Certificate, path: String) {
        let facts = certificate.facts
        let end = CivilDate(unixSeconds: facts.notAfter)
        var lines = [
            "certificate  \(path)", "subject      \(CredentialsCommand.printable(facts.subject))",
            "valid        \(CivilDate(unixSeconds: facts.notBefore)) to \(end)",
            "SHA-256      \(Self.hex(facts.fingerprint.bytes))",
        ]
        if let identifier = certificate.subjectKeyIdentifier { lines.append("key id       \(Self.hex(identifier))") }
        lines.append("pin          \(facts.publicKeyPin)")
        let constraints = certificate.nameConstraints.map {
            $0.map(CredentialsCommand.printable).joined(separator: " ")
        }
        lines.append("issues for   \(constraints ?? "any host")")
        self.lines = lines
    }

    /// `AB:CD:…`, as openssl and browsers write a fingerprint.
    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}

extension AuthorityCommand {
    /// Tells about the authority of each file; returns the exit code, 1 where one can't mint.
    static func show(_ question: AuthorityQuestion, out: (String) -> Void, problem: (String) -> Void) -> Int32 {
        var exitCode: Int32 = 0
        for file in question.files.isEmpty ? [RuleFilePath.usual()] : question.files {
            exitCode = max(exitCode, show(file, key: question.key, out, problem))
        }
        return exitCode
    }

    private static func show(
        _ file: String,
        key: String?,
        _ out: (String) -> Void,
        _ problem: (String) -> Void
    ) -> Int32 {
        do throws(FileError) {
            let bytes = try SystemFiles().contents(of: file, limit: 16 << 20)
            if isCertificate(bytes) {
                let secret = try key.map { name throws(FileError) in try Self.secret(name) }
                return describe(bytes, path: file, secret, out, problem)
            }
        } catch {
            problem("countersign: \(file) can't be read, or its key: \(error.message)")
            return 2
        }
        switch RuleFilePath.load(file, readsSecrets: true, problem: problem) {
        case .success(let configuration):
            guard let authority = configuration.interception?.authority else {
                problem("countersign: \(file) names no authority: countersign ca init makes one")
                return 1
            }
            return describe(authority.certificate, path: authority.certificatePath, authority.privateKey, out, problem)
        case .failure(let failure): return failure.exitCode
        }
    }

    private static func secret(_ path: String) throws(FileError) -> Secret {
        var bytes = try SystemFiles().contents(of: path, limit: 1 << 20)
        return Secret(wiping: &bytes)
    }

    /// A PEM, or the SEQUENCE of a DER; a rule file begins with neither.
    private static func isCertificate(_ bytes: [UInt8]) -> Bool {
        bytes.first == 0x30 || String(decoding: bytes, as: UTF8.self).contains("-----BEGIN ")
    }

    private static func describe(
        _ pem: [UInt8],
        path: String,
        _ secret: Secret?,
        _ out: (String) -> Void,
        _ problem: (String) -> Void
    ) -> Int32 {
        do throws(TLSError) {
            guard let certificate = try Certificate.all(in: pem.span).first else { return 1 }
            for line in AuthorityDescription(certificate, path: path).lines { out(line) }
            let key = try secret.map { secret throws(TLSError) in try PrivateKey.read(secret, passphrase: nil) }
            let faults = CertificateAuthority.faults(of: certificate, key: key, now: SystemFiles.now)
            if key != nil, faults.isEmpty { out("key          belongs to the certificate") }
            for fault in faults { problem("countersign: \(path): the certificate \(fault)") }
            return faults.isEmpty ? 0 : 1
        } catch {
            problem("countersign: \(path): \(error)")
            return 1
        }
    }
}
