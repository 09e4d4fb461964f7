#if GSSAPI
    internal import CGSSAPI

    /// What the codes of libkrb5 mean, and what to do about them.
    enum KerberosFailure {
        /// Whom a call was about.
        struct Subject {
            var client = ""
            var service = ""
            var realm = ""
        }

        static let unusableProfile = GSSError(
            .unavailable,
            "kerberos.profile",
            "libkrb5 can't read its profile; look at krb5.conf and the files that KRB5_CONFIG names"
        )

        /// The error for a code; `text` are the library's own words.
        static func error(_ code: krb5_error_code, _ subject: Subject, text: String) -> GSSError {
            login(Int(code), subject) ?? ticket(Int(code), subject)
                ?? GSSError(.unavailable, "gssapi.failed", "Kerberos: \(text)")
        }

        /// What goes wrong where somebody logs in.
        private static func login(_ code: Int, _ subject: Subject) -> GSSError? {
            let client = subject.client.isEmpty ? "the client" : subject.client
            switch code {
            case Int(KRB5KDC_ERR_PREAUTH_FAILED), Int(KRB5KRB_AP_ERR_BAD_INTEGRITY):
                let text = "the KDC refused the password or key of \(client); correct it in the credential"
                return GSSError(.rejected, "kerberos.preauth-failed", text)
            case Int(KRB5KDC_ERR_KEY_EXP):
                return GSSError(
                    .rejected,
                    "kerberos.password-expired",
                    "the password of \(client) has expired; change it"
                )
            case Int(KRB5KDC_ERR_CLIENT_REVOKED), Int(KRB5KDC_ERR_NAME_EXP):
                let text = "\(client) is locked or disabled; have the realm's administrator enable it"
                return GSSError(.rejected, "kerberos.client-revoked", text)
            case Int(KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN), Int(KRB5KDC_ERR_WRONG_REALM), Int(KRB5_PARSE_MALFORMED):
                let text = "the KDC knows no \(client); look at the spelling, the realm is in capitals as a rule"
                return GSSError(.unavailable, "kerberos.unknown-principal", text)
            case Int(KRB5_KT_NOTFOUND), Int(KRB5_KT_END), Int(KRB5_KT_IOERR), 2, 13:
                let text = "the keytab can't be read or has no key of \(client); look into it by `klist -k`"
                return GSSError(.unavailable, "kerberos.keytab", text)
            default: return nil
            }
        }

        /// What goes wrong where a ticket is asked for.
        private static func ticket(_ code: Int, _ subject: Subject) -> GSSError? {
            switch code {
            case Int(KRB5_KDC_UNREACH): return .unreachable(subject.realm)
            case Int(KRB5KRB_AP_ERR_SKEW), Int(KRB5_KDCREP_SKEW), Int(KRB5KRB_AP_ERR_TKT_NYV):
                let text = "this machine's clock and the KDC's are too far apart; set them by NTP"
                return GSSError(.unavailable, "kerberos.clock-skew", text)
            case Int(KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN), Int(KRB5KDC_ERR_SVC_UNAVAILABLE),
                Int(KRB5KDC_ERR_MUST_USE_USER2USER):
                let text = "the KDC knows no service \(subject.service); register it, or name another by spn"
                return GSSError(.unavailable, "kerberos.unknown-service", text)
            case Int(KRB5KRB_AP_ERR_TKT_EXPIRED):
                let text =
                    "the ticket in the cache has expired; get a new one by kinit, or give the credential a keytab"
                return GSSError(.unavailable, "kerberos.ticket-expired", text)
            case Int(KRB5_CC_NOTFOUND), Int(KRB5_FCC_NOFILE), Int(KRB5_CC_NOSUPP), Int(KRB5_CC_FORMAT),
                Int(KRB5_FCC_PERM),
                Int(KRB5_CC_BADNAME), Int(KRB5_CC_UNKNOWN_TYPE), Int(KRB5_CC_IO), Int(KRB5_CC_END):
                let text = "there is no ticket in the cache; get one by kinit, or give the credential a keytab"
                return GSSError(.unavailable, "kerberos.no-ticket", text)
            case Int(KRB5_REALM_UNKNOWN), Int(KRB5_REALM_CANT_RESOLVE), Int(KRB5_CONFIG_NODEFREALM),
                Int(KRB5_ERR_HOST_REALM_UNKNOWN), Int(KRB5_CONFIG_CANTOPEN):
                let realm = subject.realm.isEmpty ? "" : " \(subject.realm)"
                let text =
                    "no KDC is known for the realm\(realm); name it in krb5.conf, or write the realm in the principal"
                return GSSError(.unavailable, "kerberos.no-realm", text)
            default: return nil
            }
        }
    }
#endif
