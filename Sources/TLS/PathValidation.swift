internal import COpenSSL
internal import Trust

/// One run of OpenSSL's building and checking of a certification path, and what it came to.
@safe final class PathValidation {
    private let store: OpaquePointer
    private let terms: TrustPolicy.Terms
    private let anchors: TrustAnchors
    /// What the server sent, the leaf as well.
    let presented: [Certificate]
    /// The first failure that `allow_invalid_certificates` passes over: the checks go on behind it, lest it hides a
    /// worse.
    private var waived: (code: Int32, depth: Int32)?

    /// A path may end at a certificate that is no root.
    private let endsAnywhere: Bool

    /// A run within the verify callback, whose `X509_STORE_CTX` is `store`; it may be used until the callback returns.
    convenience init(_ store: OpaquePointer, terms: TrustPolicy.Terms, anchors: TrustAnchors) {
        unsafe self.init(store, terms: terms, anchors: anchors, endsAnywhere: !anchors.named.isEmpty)
    }

    private init(_ store: OpaquePointer, terms: TrustPolicy.Terms, anchors: TrustAnchors, endsAnywhere: Bool) {
        unsafe self.store = store
        self.endsAnywhere = endsAnywhere
        self.terms = terms
        self.anchors = anchors
        presented = unsafe X509_STORE_CTX_get0_untrusted(store).map { unsafe CertificateStack.elements(of: $0) } ?? []
    }

    /// Builds and checks the path as of `now`, in seconds of Unix time.
    func run(now: Int64) -> PathResult {
        setParameters(now: now)
        if terms.allowsInvalidCertificates || anchors.hasRevocationLists {
            unsafe X509_STORE_CTX_set_ex_data(store, Self.index, Unmanaged.passUnretained(self).toOpaque())
            unsafe X509_STORE_CTX_set_verify_cb(store, judgeFailure)
        }
        let status = verify()
        defer {
            unsafe X509_STORE_CTX_set_ex_data(store, Self.index, nil)
            ERR_clear_error()
        }
        var code = unsafe X509_STORE_CTX_get_error(store)
        guard status == 1 else {
            // A failure without a number is one of memory or of the like.
            if code == X509_V_OK { code = X509_V_ERR_UNSPECIFIED }
            return invalid(code, depth: unsafe X509_STORE_CTX_get_error_depth(store))
        }
        if let waived { return invalid(waived.code, depth: waived.depth) }
        return validPath() ?? (endsAnywhere ? pathToRoot(now: now) : nil)
            ?? invalid(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, depth: 0)
    }

    /// The path that was built; nil where it ends at a certificate that is neither a root nor named.
    private func validPath() -> PathResult? {
        var path = unsafe X509_STORE_CTX_get0_chain(store).map { unsafe CertificateStack.elements(of: $0) } ?? []
        let firstTrusted = max(0, Int(unsafe X509_STORE_CTX_get_num_untrusted(store)))
        // A leaf that is trusted itself: what OpenSSL has put behind it leads nowhere.
        if firstTrusted == 0 { path = Array(path.prefix(1)) }
        guard path.dropFirst(firstTrusted).contains(where: anchors.mayEnd) else { return nil }
        return .valid(path: path.map(\.facts))
    }

    /// The path up to a root, where OpenSSL was content with a certificate of the system's that is none.
    private func pathToRoot(now: Int64) -> PathResult? {
        guard let second = unsafe X509_STORE_CTX_new() else { return nil }
        defer { unsafe X509_STORE_CTX_free(second) }
        let leaf = unsafe X509_STORE_CTX_get0_cert(store)
        let issuers = unsafe X509_STORE_CTX_get0_untrusted(store)
        guard unsafe X509_STORE_CTX_init(second, anchors.store, leaf, issuers) == 1 else { return nil }
        let validation = unsafe PathValidation(second, terms: terms, anchors: anchors, endsAnywhere: false)
        let result = validation.run(now: now)
        if case .valid = result { unsafe X509_STORE_CTX_set0_verified_chain(store, X509_STORE_CTX_get1_chain(second)) }
        return result
    }

    private func verify() -> Int32 {
        // OpenSSL takes what stands there for a failure of its own.
        unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
        // A root that is trusted is in the store: one that was presented could only lead astray from the same
        // authority's certificate by another that is trusted, and OpenSSL doesn't turn back.
        let issuers = presented.filter { unsafe X509_self_signed($0.raw, 0) != 1 }
        if issuers.count == presented.count { return unsafe X509_verify_cert(store) }
        let all = unsafe X509_STORE_CTX_get0_untrusted(store)
        let status = unsafe try? CertificateStack.withStack(issuers) { stack in
            unsafe X509_STORE_CTX_set0_untrusted(store, stack)
            defer { unsafe X509_STORE_CTX_set0_untrusted(store, all) }
            return unsafe X509_verify_cert(store)
        }
        return status ?? 0
    }

    private func setParameters(now: Int64) {
        let parameters = unsafe X509_STORE_CTX_get0_param(store)
        unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)
        unsafe X509_VERIFY_PARAM_set_trust(parameters, X509_TRUST_SSL_SERVER)
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, TLSContext.securityLevel)
        unsafe X509_VERIFY_PARAM_set_depth(parameters, Self.mostIssuers)
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(now))
        var flags = UInt(X509_V_FLAG_TRUSTED_FIRST)
        if terms.strict { flags |= UInt(X509_V_FLAG_X509_STRICT) }
        if endsAnywhere { flags |= UInt(X509_V_FLAG_PARTIAL_CHAIN) }
        if anchors.hasRevocationLists { flags |= UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) }
        unsafe X509_VERIFY_PARAM_set_flags(parameters, flags)
    }

    /// How many certificates there may be between leaf and anchor: nobody has more, and each costs a signature.
    private static let mostIssuers: Int32 = 9

    private func invalid(_ code: Int32, depth: Int32) -> PathResult {
        .invalid(
            code: code,
            reason: PathFailure(code: code),
            text: unsafe String(cString: X509_verify_cert_error_string(Int(code))),
            depth: Int(depth),
            path: linkedPath().map(\.facts)
        )
    }

    /// What signatures link from the leaf through what was presented, leaf first (T-3).
    private func linkedPath() -> [Certificate] {
        guard let leaf = unsafe X509_STORE_CTX_get0_cert(store) else { return [] }
        var rest = presented
        var path = [unsafe Certificate(sharing: leaf)]
        while let last = path.last, path.count <= Int(Self.mostIssuers), unsafe X509_self_signed(last.raw, 1) != 1 {
            let next = rest.firstIndex { candidate in
                unsafe X509_check_issued(candidate.raw, last.raw) == X509_V_OK
                    && X509_verify(last.raw, X509_get0_pubkey(candidate.raw)) == 1
            }
            guard let next else { break }
            path.append(rest.remove(at: next))
        }
        return path
    }

    /// Whether the checks go on behind a failure.
    fileprivate func goesOn(behind code: Int32, depth: Int32) -> Bool {
        // A list says whether its own issuer's certificates are revoked; that there is none for an issuer further up
        // isn't held against the path, that there is none for the leaf's is.
        if code == X509_V_ERR_UNABLE_TO_GET_CRL && depth > 0 { return true }
        guard terms.allowsInvalidCertificates, PathFailure(code: code).isWaivable else { return false }
        if waived == nil { waived = (code, depth) }
        return true
    }

    fileprivate static let index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_X509_STORE_CTX, 0, nil, nil, nil, nil)

    fileprivate static func of(_ store: OpaquePointer) -> PathValidation? {
        guard let pointer = unsafe X509_STORE_CTX_get_ex_data(store, index) else { return nil }
        return unsafe Unmanaged<PathValidation>.fromOpaque(pointer).takeUnretainedValue()
    }
}

private func judgeFailure(_ isValid: Int32, _ store: OpaquePointer?) -> Int32 {
    guard isValid != 1, let store = unsafe store else { return isValid }
    guard let validation = unsafe PathValidation.of(store) else { return 0 }
    let code = unsafe X509_STORE_CTX_get_error(store)
    guard unsafe validation.goesOn(behind: code, depth: X509_STORE_CTX_get_error_depth(store)) else { return 0 }
    unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
    return 1
}
