internal import Authentication
internal import Crypto
internal import Rules
internal import Trust

extension RuleFileReader {
    /// The largest file of certificates or revocation lists.
    static let maximumCertificates = 16 << 20

    // MARK: files

    /// The content of a file that a `PATH` or `{ file: PATH }` names, with its path as it was written; nil where there is
    /// something wrong with it, which is told.
    ///
    /// With `readsSecrets` false the content is empty.
    mutating func content(_ node: YAMLNode?, what: String) -> (name: String, bytes: [UInt8])? {
        guard let node = node.flatMap(ScalarValue.path), let name = node.text, let path = path(node) else { return nil }
        watch(path)
        guard readsSecrets else { return (name, []) }
        do throws(FileError) {
            let bytes = try files.contents(of: path, limit: Self.maximumCertificates)
            if bytes.isEmpty { error(node, "\(what) is empty") }
            return bytes.isEmpty ? nil : (name, bytes)
        } catch {
            collector.error(node.start, "\(what) can't be read: \(error.message)")
            return nil
        }
    }

    /// The content of a file of certificates as PEM; nil where something is wrong with it, which is told.
    mutating func certificates(_ node: YAMLNode?, what: String) -> (name: String, pem: [UInt8])? {
        guard let node, let file = content(node, what: what) else { return nil }
        guard readsSecrets else { return (file.name, []) }
        guard let found = CertificateFile.certificates(file.bytes) else {
            error(node, "\(what) holds something that is no certificate, or one that is cut off")
            return nil
        }
        guard !found.isEmpty else {
            let isKey = file.bytes.contains("PRIVATE KEY-----")
            error(node, "\(what) holds no certificate\(isKey ? ", but a private key" : " (PEM or DER)")")
            return nil
        }
        return (file.name, Array(found.map(PEM.certificate).joined().utf8))
    }

    /// A private key as PEM; nil where something is wrong with it, which is told.
    ///
    /// `hasPassphrase` nil: there can't be one.
    mutating func privateKey(_ node: YAMLNode?, hasPassphrase: Bool?) -> Secret? {
        guard let node, let key = secret(node) else { return nil }
        warnIfReadableByOthers(node["file"])
        guard readsSecrets || node["value"] != nil else { return key }
        let (isKey, isEncrypted) = key.withBytes { bytes in
            var text = (0..<bytes.count).map { bytes[$0] }
            defer { Wiping.wipe(&text) }
            let isEncrypted =
                text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
            return (text.contains("PRIVATE KEY-----"), isEncrypted)
        }
        if !isKey {
            error(node, "this is no private key as PEM")
        } else if isEncrypted, hasPassphrase != true {
            let cure = hasPassphrase == nil ? "it must stand there as it is" : "write 'passphrase'"
            error(node, "the private key is encrypted: \(cure)")
        } else {
            return key
        }
        return nil
    }

    /// Tells that others can read a file with a private key, or another that is worth as much.
    mutating func warnIfReadableByOthers(_ node: YAMLNode?, what: String = "private key") {
        guard readsSecrets, let node, let path = path(node), files.isReadableByOthers(path) else { return }
        warning(node, "other users can read this \(what): chmod o-r")
    }

    // MARK: credentials

    mutating func certificateKind(_ node: YAMLNode) -> Credential.Kind? {
        let passphrase = secret(node["passphrase"])
        if node["passphrase"] != nil, passphrase == nil { return nil }
        let certificate =
            node["pkcs12"] == nil ? pemCertificate(node, passphrase: passphrase) : pkcs12(node, passphrase: passphrase)
        guard let certificate, check(certificate, node) else { return nil }
        return .clientCertificate(certificate)
    }

    private mutating func pemCertificate(_ node: YAMLNode, passphrase: Secret?) -> ClientCertificate? {
        let certificate = certificates(node["certificate"], what: "the file of this certificate")
        let key = privateKey(node["private_key"], hasPassphrase: passphrase != nil)
        if node["private_key"] == nil, !hasUnknownKey(node, Schema.credential) {
            error(node, "a credential with 'certificate' needs 'private_key'")
        }
        guard let certificate, let key else { return nil }
        return .pem(certificate: certificate.pem, privateKey: key, passphrase: passphrase)
    }

    private mutating func pkcs12(_ node: YAMLNode, passphrase: Secret?) -> ClientCertificate? {
        guard node["private_key"] == nil, let written = node["pkcs12"],
            let file = content(written, what: "the PKCS#12 file")
        else { return nil }
        warnIfReadableByOthers(ScalarValue.path(written))
        var bytes = file.bytes
        // A PFX is a SEQUENCE [RFC 7292 s.4].
        guard !readsSecrets || bytes.first == 0x30 else {
            Wiping.wipe(&bytes)
            error(written, "this is no PKCS#12 file; a PEM goes under 'certificate' and 'private_key'")
            return nil
        }
        return .pkcs12(Secret(wiping: &bytes), passphrase: passphrase)
    }

    /// What a rule with a client certificate can't say: it is shown in the handshake, before any request (T-6).
    mutating func refuseBesideCertificate(_ node: YAMLNode, _ space: YAMLNode) {
        let keys =
            ["path", "realm"].map { space.entry($0) } + ["cross_site", "preempt", "cleartext"].map { node.entry($0) }
        for entry in keys {
            guard let key = entry?.key else { continue }
            error(key, "'\(key.text ?? "")' can't stand here: a client certificate is shown before any request")
        }
        if space["protocol"]?.text == "http", let protocolKey = space.entry("protocol")?.key {
            error(protocolKey, "a client certificate is shown over https only")
        }
    }
}

extension [UInt8] {
    /// Whether the UTF-8 of a text, which isn't empty, is in it.
    fileprivate func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, count >= wanted.count else { return false }
        return (0...(count - wanted.count)).contains { start in
            self[start] == first && self[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
