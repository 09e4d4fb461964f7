internal import Authentication
internal import Crypto
internal import GSS
internal import Testing

/// What a build without GSSAPI says.
@Suite(.disabled(if: Mechanism.isBuilt, "this build has GSSAPI")) struct WithoutGSSAPITests {
    @Test("a handshake fails by gssapi.not-built")
    func notBuilt() {
        let name = LoginName(username: Array("alice".utf8), domain: nil)
        let ntlm = NTLMLogin(name: name, proof: .password(Secret("x")))
        do throws(GSSError) {
            _ = try SecurityContext(ntlm, host: "localhost", inSPNEGO: false, channelBinding: nil)
            Issue.record("there is a handshake")
        } catch {
            #expect(error == .notBuilt)
        }
    }
}
