/// A certificate authority of the test's own, made by the openssl program in a scratch folder.
package final class TestAuthority: Sendable {
    private let folder: ScratchFolder

    /// Makes its key and certificate.
    package init() throws {
        folder = try ScratchFolder("authority")
        try openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "30",
            "-keyout",
            folder("ca.key"),
            "-out",
            certificate,
            "-subj",
            "/CN=Test authority",
            "-addext",
            "keyUsage=critical,keyCertSign,cRLSign"
        )
    }

    /// The path of its certificate.
    package var certificate: String { folder("ca.pem") }

    /// The path of its key.
    package var key: String { folder("ca.key") }

    /// What a leaf is for.
    package enum Purpose: String, Sendable {
        case server = "serverAuth"
        case client = "clientAuth"
    }

    /// A leaf's files.
    package struct Leaf: Sendable {
        package let certificate: String
        package let key: String
    }

    /// Makes a leaf; `names` are subjectAltNames as openssl writes them, `days` may be negative: it has expired then.
    package func leaf(_ name: String, names: String, purpose: Purpose = .server, days: Int = 20) throws -> Leaf {
        let leaf = Leaf(certificate: folder("\(name).pem"), key: folder("\(name).key"))
        let extensions = """
            subjectAltName=\(names)
            extendedKeyUsage=\(purpose.rawValue)
            authorityKeyIdentifier=keyid

            """
        let path = try folder.write(extensions, to: "\(name).ext")
        try openssl(
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            leaf.key,
            "-out",
            folder("\(name).csr"),
            "-subj",
            "/CN=\(name)"
        )
        try openssl(
            "x509",
            "-req",
            "-in",
            folder("\(name).csr"),
            "-CA",
            certificate,
            "-CAkey",
            folder("ca.key"),
            "-set_serial",
            "\(UInt64.random(in: 1...UInt64(Int64.max)))",
            "-days",
            "\(days)",
            "-extfile",
            path,
            "-out",
            leaf.certificate
        )
        return leaf
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

    private func openssl(_ arguments: String...) throws {
        let process = try TestProcess("openssl", arguments)
        guard try process.waitForExit() == .status(0) else { throw TestFailure(process.errors) }
    }
}
