internal import Authentication
internal import Configuration
internal import Events
internal import Rules
internal import TLS
internal import Trust

/// Looks into keys, certificates and lists with the calls by which the proxy uses them, so that `check`, start and reload
/// refuse what would fail at the first handshake (T-11).
final class TLSMaterials: MaterialChecking {
    private let anchors = Locked<SystemAnchors?>(nil)

    func finding(on certificate: ClientCertificate) -> MaterialFinding {
        do throws(TLSError) {
            let identity: ClientIdentity
            switch certificate {
            case .pem(let pem, let key, let passphrase):
                do throws(TLSError) { _ = try PrivateKey.read(key, passphrase: passphrase) } catch {
                    return .faulty(MaterialFault(error.kind == .passphrase ? .passphrase : .privateKey, error.words))
                }
                identity = try ClientIdentity(certificate: pem.span, privateKey: key, passphrase: passphrase)
            case .pkcs12(let file, let passphrase):
                identity = try ClientIdentity(pkcs12: file, passphrase: passphrase)
            }
            if let fault = identity.fault { throw fault }
            return .usable(notBefore: identity.facts.notBefore, notAfter: identity.facts.notAfter)
        } catch {
            return .faulty(MaterialFault(error.kind == .passphrase ? .passphrase : .certificate, error.words))
        }
    }

    func finding(on authority: InterceptionConfiguration.Authority, now: Int64) -> MaterialFinding {
        do throws(TLSError) { _ = try PrivateKey.read(authority.privateKey, passphrase: nil) } catch {
            return .faulty(MaterialFault(.privateKey, error.words))
        }
        do throws(TLSError) {
            let certificate = authority.certificate
            let made = try CertificateAuthority(
                certificate: certificate.span,
                privateKey: authority.privateKey,
                now: now
            )
            let facts = made.certificate.facts
            return .usable(notBefore: facts.notBefore, notAfter: facts.notAfter)
        } catch {
            return .faulty(MaterialFault(.certificate, error.words))
        }
    }

    func believes(
        _ authority: InterceptionConfiguration.Authority,
        for host: ReferenceIdentity,
        now: Int64
    ) -> Bool {
        let made = try? CertificateAuthority(
            certificate: authority.certificate.span,
            privateKey: authority.privateKey,
            now: now
        )
        // What can't be made at all is told elsewhere.
        return (try? made?.mayIssue(for: host, now: now)) ?? true
    }

    func faults(of terms: TrustPolicy.Terms) -> [MaterialFault] {
        // Each part by itself, so that it is known which of them is to blame.
        var parts: [(part: MaterialFault.Part, terms: TrustPolicy.Terms)] = []
        for (number, anchor) in terms.anchors.enumerated() where anchor != .system {
            parts.append((.anchor(number), TrustPolicy.Terms { $0.anchors = [anchor] }))
        }
        if case .crl = terms.revocation {
            parts.append((.revocation, TrustPolicy.Terms { $0.revocation = terms.revocation }))
        }
        if terms.ciphers != nil {
            let ciphers = TrustPolicy.Terms {
                ($0.ciphers, $0.minimumVersion, $0.maximumVersion) =
                    (terms.ciphers, terms.minimumVersion, terms.maximumVersion)
            }
            parts.append((.ciphers, ciphers))
        }
        if terms.groups != nil { parts.append((.groups, TrustPolicy.Terms { $0.groups = terms.groups })) }
        return parts.compactMap { part, terms in fault(of: terms).map { MaterialFault(part, $0) } }
    }

    private func fault(of terms: TrustPolicy.Terms) -> String? {
        do throws(TLSError) {
            _ = try TLSContext(policy: TrustPolicy(name: "", terms: terms), systemAnchors: try systemAnchors())
            return nil
        } catch {
            return "OpenSSL doesn't take this: \(error)"
        }
    }

    private func systemAnchors() throws(TLSError) -> SystemAnchors {
        if let anchors = anchors.withLock({ $0 }) { return anchors }
        let read = try SystemAnchors()
        anchors.withLock { $0 = read }
        return read
    }
}

extension TrustPolicy.Terms {
    /// The default terms with a change.
    fileprivate init(_ change: (inout TrustPolicy.Terms) -> Void) {
        self.init()
        change(&self)
    }
}

extension TLSError {
    /// The room's words, which say all that there is to say of a file.
    fileprivate var words: String { message.isEmpty ? description : message }
}
