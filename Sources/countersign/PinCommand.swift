internal import Configuration
internal import HTTP
internal import TLS
internal import Trust

/// `countersign pin`: the pins of certificates, ready to be pasted under a policy of `trust` (O-6).
enum PinCommand {
    /// Writes them as YAML; returns the exit code.
    static func printPins(_ request: PinRequest, out: (String) -> Void, problem: (String) -> Void) -> Int32 {
        switch request {
        case .file(let path): return printPins(ofFile: path, out, problem)
        case .server(let origin): return printPins(of: origin, out, problem)
        }
    }

    private static func printPins(ofFile path: String, _ out: (String) -> Void, _ problem: (String) -> Void) -> Int32 {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try SystemFiles().contents(of: path, limit: 16 << 20) } catch {
            problem("countersign: \(path) can't be read: \(error.message)")
            return 2
        }
        do throws(TLSError) {
            let certificates = try Certificate.all(in: bytes.span)
            write(certificates.map(\.facts), out)
            return 0
        } catch {
            problem("countersign: \(path): \(error)")
            return 1
        }
    }

    private static func printPins(of origin: Origin, _ out: (String) -> Void, _ problem: (String) -> Void) -> Int32 {
        let name = origin.authorityWithPort
        let sight: ServerSight
        do throws(ServerVisit.Failure) { sight = try ServerVisit.visit(origin) } catch {
            problem("countersign: \(name): \(error.message)")
            return 1
        }
        switch sight.decision {
        case .reject(let failure)?: out("# \(name): \(failure.reasonCode): \(failure.message)")
        case .accept?, .acceptAndReport?, nil: out("# \(name): valid by this machine's trust anchors")
        }
        if let error = sight.error {
            out(
                "# the handshake went no further: \(error.reasonCode): \(CredentialsCommand.printable(error.description))"
            )
        }
        write(sight.path, out)
        return 0
    }

    private static func write(_ certificates: [CertificateFacts], _ out: (String) -> Void) {
        out("pins:")
        for certificate in certificates { out("  \(certificate.pinLine)") }
    }
}
