internal import Glibc

#if GSSAPI
    internal import CGSSAPI
#endif

/// What this process wants of libkrb5 and gss-ntlmssp, whatever the system's files and the environment say.
package enum KerberosProfile {
    /// A service's name is the one that the URL gives: no name is looked up for an address, or for another name (C-9).
    package static let text = """
        [libdefaults]
            dns_canonicalize_hostname = false
            rdns = false

        """

    /// Puts `text` before the system's profile in KRB5_CONFIG, and keeps NTLMv1 off; for the very start of a process, since
    /// the environment is changed.
    ///
    /// The profile lies in memory that lasts as long as the process, and that its children can read by its id. Where that
    /// can't be made, the system's profile holds alone.
    package static func install() {
        #if GSSAPI
            if unsafe getenv("LM_COMPAT_LEVEL") != nil { unsafe setenv("LM_COMPAT_LEVEL", "5", 1) }
            let descriptor = unsafe memfd_create("krb5.conf", 1)
            guard descriptor >= 0 else { return }
            let bytes = Array(text.utf8)
            guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
                close(descriptor)
                return
            }
            let system = unsafe getenv("KRB5_CONFIG").map { unsafe String(cString: $0) } ?? "/etc/krb5.conf"
            unsafe setenv("KRB5_CONFIG", "/proc/\(getpid())/fd/\(descriptor):\(system)", 1)
        #endif
    }
}
