internal import Configuration
internal import Glibc
internal import TLS
internal import Trust

/// The files by which programs trust an authority of ours beside all that they trust anyway.
struct TrustFiles {
    /// Of all names here, which tells ours from those of other programs.
    private static let prefix = "countersign-trust"

    /// Certificates as PEM.
    let bundle: String
    /// The same as a store of Java's.
    let keyStore: String
    /// What wget reads in place of the user's own ~/.wgetrc, which it holds.
    let wgetrc: String

    /// Writes them into `folder`, each at once as a whole, named after the authority so that several may lie there.
    init(authority: Certificate, in folder: String, variable: (String) -> String?) throws {
        let name = authority.facts.fingerprint.bytes.prefix(4).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        // Programs have working folders of their own.
        let stem = "\(NewFile.absolute(folder))/\(Self.prefix)-\(name.joined())"
        bundle = "\(stem).pem"
        keyStore = "\(stem).p12"
        wgetrc = "\(stem).wgetrc"
        let trust = try TrustBundle(system: Self.systemAnchors(variable), authority: authority)
        try NewFile.makeFolder(of: bundle)
        try Self.write(trust.pem, to: bundle, mode: 0o644)
        try Self.write(trust.keyStore, to: keyStore, mode: 0o644)
        // The user's own may hold a password.
        let own = Self.ownSettings(variable)
        try Self.write(own + Array("ca_certificate = \(bundle)\n".utf8), to: wgetrc, mode: 0o600)
    }

    /// Takes them away.
    func remove() {
        for path in [bundle, keyStore, wgetrc] { unsafe unlink(path) }
    }

    private static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(NewFile.Failure) {
        let file = try NewFile(path, mode: mode, bytes: bytes.span)
        try file.publish(replaces: true)
    }

    /// What the user has programs trust, else what the system does.
    private static func systemAnchors(_ variable: (String) -> String?) -> [[UInt8]] {
        let files = SystemFiles()
        if let path = variable("SSL_CERT_FILE"), !isOurs(path),
            let chosen = try? files.contents(of: path, limit: 16 << 20)
        {
            return [chosen]
        }
        for path in TrustBundle.systemFiles {
            if let found = try? files.contents(of: path, limit: 16 << 20) { return [found] }
        }
        return []
    }

    private static func ownSettings(_ variable: (String) -> String?) -> [UInt8] {
        let chosen = variable("WGETRC").flatMap { isOurs($0) ? nil : $0 }
        guard let path = chosen ?? variable("HOME").map({ "\($0)/.wgetrc" }),
            let settings = try? SystemFiles().contents(of: path, limit: 1 << 20)
        else { return [] }
        return settings + [UInt8(ascii: "\n")]
    }

    /// Whether an earlier `env`, or an `exec` around this one, wrote it.
    private static func isOurs(_ path: String) -> Bool {
        path.split(separator: "/").last?.hasPrefix(prefix) ?? false
    }
}
