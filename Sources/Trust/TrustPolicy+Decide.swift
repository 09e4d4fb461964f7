extension TrustPolicy {
    /// Judges a server by its path, its name and its pins, in this order; the first failure decides (T-1).
    ///
    /// A pin never widens trust: it is looked at only after the path is valid or `allow_invalid_certificates` stands for
    /// that (T-2, T-3). `now` is in seconds of Unix time.
    package func decide(_ result: PathResult, identity: ReferenceIdentity, now: Int64) -> TrustDecision {
        let path = result.path
        guard let leaf = path.first else {
            return reject(.chain(.other), "the server presented no certificate", path, identity)
        }
        var waived: PathFailure?
        if case .invalid(_, let reason, let text, let depth, _) = result {
            guard waives(reason, at: now) else {
                return .reject(failure(.chain(reason), text, path, identity, culprit: depth))
            }
            waived = reason
        }
        if terms.validatesDomainName && !identity.matches(leaf) { return reject(.name, "", path, identity) }
        if terms.pinning == .observe {
            return .acceptAndReport(failure(.observed, "", path, identity))
        }
        guard hasPins(at: now) else { return .accept }
        return decidePins(of: path, waived: waived, identity: identity, now: now)
    }

    /// Judges what the server stapled for the leaf of an accepted path, before the first byte of a request (T-1).
    package func decide(_ staple: StapleResult, path: [CertificateFacts], identity: ReferenceIdentity) -> TrustDecision
    {
        switch (terms.revocation, staple) {
        case (.off, _), (.crl, _), (_, .good): .accept
        case (_, .revoked):
            .reject(failure(.chain(.revoked), "a stapled OCSP answer says so", path, identity, culprit: 0))
        // Whoever holds a revoked certificate would leave the answer out: refusing one that says nothing costs
        // connections and keeps nobody off. `must-staple` is for those who want that.
        case (.staple, .absent), (.staple, .unusable): .accept
        case (.mustStaple, .absent): reject(.chain(.stapleMissing), "there was none", path, identity)
        case (.mustStaple, .unusable(let text)): reject(.chain(.stapleMissing), text, path, identity)
        }
    }

    /// Whether `allow_invalid_certificates` passes over this failure of the path.
    ///
    /// With pins it does while they hold, since they stand for the authority; without pins only where no name is to be
    /// validated either, since a name in a certificate that anyone may have made says nothing.
    private func waives(_ reason: PathFailure, at now: Int64) -> Bool {
        guard terms.allowsInvalidCertificates && reason.isWaivable else { return false }
        switch terms.pinning {
        case .none, .observe: return !terms.validatesDomainName
        case .publicKey, .certificate: return hasPins(at: now) && !terms.pins.isEmpty
        }
    }

    private func decidePins(
        of path: [CertificateFacts],
        waived: PathFailure?,
        identity: ReferenceIdentity,
        now: Int64
    ) -> TrustDecision {
        // Of a path that is only linked by signatures nobody has checked that its issuers may issue: behind one that
        // may not, anyone could have put the pinned certificate.
        var usable = path[...]
        if waived != nil, let end = path.dropFirst().firstIndex(where: { !$0.isAuthority }) { usable = path[..<end] }
        let inCertificateMode = terms.pinning == .certificate
        let match = usable.firstIndex {
            inCertificateMode ? terms.pins.contains($0) : terms.pins.containsKey(of: $0)
        }
        guard let match else {
            guard let waived, !terms.enforces else {
                return terms.enforces
                    ? reject(.pins, "", path, identity) : .acceptAndReport(failure(.pins, "", path, identity))
            }
            // The pins stood for the chain's validity: without them it is as invalid as it was found.
            return reject(.chain(waived), "and nothing of it is pinned", path, identity)
        }
        if waived != nil, inCertificateMode, let found = usable[...match].firstInvalid(at: now) {
            return .reject(failure(.chain(found.reason), "", path, identity, culprit: found.index))
        }
        return .accept
    }

    private func failure(
        _ kind: TrustFailure.Kind,
        _ detail: String,
        _ seen: [CertificateFacts],
        _ identity: ReferenceIdentity,
        culprit: Int? = nil
    ) -> TrustFailure {
        TrustFailure(kind: kind, policy: name, identity: identity, detail: detail, culprit: culprit, seen: seen)
    }

    private func reject(
        _ kind: TrustFailure.Kind,
        _ detail: String,
        _ seen: [CertificateFacts],
        _ identity: ReferenceIdentity
    ) -> TrustDecision {
        .reject(failure(kind, detail, seen, identity))
    }
}

extension ArraySlice<CertificateFacts> {
    /// The first certificate, from the leaf on, that isn't valid at `now`; nil where all are.
    fileprivate func firstInvalid(at now: Int64) -> (index: Int, reason: PathFailure)? {
        for index in indices {
            if now < self[index].notBefore { return (index, .notYetValid) }
            if now > self[index].notAfter { return (index, .expired) }
        }
        return nil
    }
}
