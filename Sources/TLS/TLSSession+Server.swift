internal import Bytes
internal import COpenSSL
internal import Trust

// What is decided of a server while its handshake is under way.
extension TLSSession {
    /// Builds the server's path, lets the policy judge it, and says whether the handshake may go on.
    func verifyServer(_ store: OpaquePointer) -> Bool {
        decision = nil
        guard let server, let policy = context.policy, let anchors = context.anchors else { return false }
        let validation = unsafe PathValidation(store, terms: policy.terms, anchors: anchors)
        let result = validation.run(now: server.now)
        peerPath = result.path
        var verdict = policy.decide(result, identity: server.identity, now: server.now)
        if verdict.isAccepted, policy.terms.validatesDomainName, unsafe !isNamed(X509_STORE_CTX_get0_cert(store)) {
            // Two readings of a name must agree, or it is none.
            verdict = .reject(TrustFailure(kind: .name, policy: policy.name, identity: server.identity, seen: peerPath))
        }
        decision = verdict
        if verdict.failure?.isAboutPins == true { presentedCertificates = validation.presented.map(\.facts.der) }
        unsafe X509_STORE_CTX_set_error(store, Self.code(of: verdict, result))
        return verdict.isAccepted
    }

    /// OpenSSL's number of a verdict, by which it chooses the alert.
    private static func code(of verdict: TrustDecision, _ result: PathResult) -> Int32 {
        if verdict.isAccepted { return X509_V_OK }
        switch (verdict.failure?.kind, result) {
        case (.chain, .invalid(let code, _, _, _, _)): return code
        case (.name, _): return X509_V_ERR_HOSTNAME_MISMATCH
        default: return X509_V_ERR_APPLICATION_VERIFICATION
        }
    }

    /// Whether OpenSSL finds the server's identity in the certificate: no partial wildcards, never the common name.
    private func isNamed(_ certificate: OpaquePointer?) -> Bool {
        guard let server, let certificate = unsafe certificate else { return false }
        let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        switch server.identity {
        case .name(let name): return unsafe X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
        case .address(let address):
            let bytes = address.networkBytes
            return unsafe X509_check_ip(certificate, bytes, bytes.count, flags) == 1
        }
    }

    /// Judges what the server stapled, and says whether the handshake may go on.
    func judgeStaple() -> Bool {
        // A resumed session carries no certificate; its answer was judged when it was made.
        if isResumed { return true }
        guard let policy = context.policy, let server, decision?.isAccepted == true else { return false }
        let verdict = policy.decide(staple(now: server.now), path: peerPath, identity: server.identity)
        guard case .reject = verdict else { return true }
        decision = verdict
        // It may have been chosen by now; it goes no further.
        hasOfferedCertificate = false
        return false
    }

    private func staple(now: Int64) -> StapleResult {
        var data: UnsafePointer<UInt8>?
        let count = unsafe COpenSSL_SSL_get_tlsext_status_ocsp_resp(ssl, &data)
        guard count > 0, let data = unsafe data else { return .absent }
        let path = unsafe SSL_get0_verified_chain(ssl).map { unsafe CertificateStack.elements(of: $0) } ?? []
        guard path.count >= 2 else { return .unusable("the certificate's issuer isn't known") }
        return unsafe StapledResponse.judge(
            UnsafeBufferPointer(start: data, count: count),
            leaf: path[0],
            issuer: path[1],
            now: now
        )
    }

    /// Gives the handshake our certificate where we have one that the server wants (T-6).
    func chooseCertificate() -> Bool {
        askedForCertificate = true
        guard decision?.isAccepted == true else { return false }
        guard let identity = context.identity, unsafe identity.isWanted(byIssuers: SSL_get0_peer_CA_list(ssl)) else {
            return true
        }
        guard let own = identity.certificates.first else { return true }
        let isUsed = unsafe try? CertificateStack.withStack(identity.certificates.dropFirst()) { chain in
            unsafe SSL_use_cert_and_key(ssl, own.raw, identity.key.raw, chain, 1) == 1
        }
        hasOfferedCertificate = isUsed == true
        return hasOfferedCertificate
    }

    /// Keeps a session that the server lets us resume, and says whether the reference was taken over.
    func keep(_ resumable: OpaquePointer) -> Bool {
        ticketCount += 1
        guard let server, let sessions = server.sessions, let key = server.key else { return false }
        guard let decision, decision.isAccepted else { return false }
        let kept = unsafe ResumableSession(taking: resumable, of: context, decision: decision, path: peerPath)
        sessions.add(kept, for: key)
        return true
    }
}
