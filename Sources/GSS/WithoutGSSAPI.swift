#if !GSSAPI
    package import Authentication
    package import Crypto

    /// In place of a login where the build has no GSSAPI.
    package final class KerberosLogin: Sendable {
        package init(_ credential: KerberosCredential) {}

        package init(_ name: LoginName, password: Secret) {}

        package var writtenRealm: String? { nil }

        package func sighting(of service: ServicePrincipalName) throws(GSSError) -> KerberosSighting { throw .notBuilt }

        package static func principals(ofKeytab path: String) throws(GSSError) -> [String] { throw .notBuilt }
    }

    /// In place of a handshake where the build has no GSSAPI: there is none.
    package struct SecurityContext: ~Copyable {
        package let mechanism: Mechanism
        package let isComplete = false

        package init(_ login: NTLMLogin, host: String, inSPNEGO: Bool, channelBinding: [UInt8]?) throws(GSSError) {
            throw .notBuilt
        }

        package init(
            _ login: KerberosLogin,
            service: ServicePrincipalName,
            channelBinding: [UInt8]?,
            mayAskKDC: Bool
        ) throws(GSSError) {
            throw .notBuilt
        }

        package mutating func step(_ input: [UInt8]?) throws(GSSError) -> Secret? { throw .notBuilt }
    }
#endif
