import FuzzChecks
import Support
import Testing

struct SecretTextCorpusTests {
    @Test("S-1 every netrc file, every password file and every helper's answer of the corpora reads without a fault")
    func replay() throws {
        let netrc = Fixture.files(in: "Tests/Corpus/netrc")
        let htpasswd = Fixture.files(in: "Tests/Corpus/htpasswd")
        let helper = Fixture.files(in: "Tests/Corpus/credential-helper")
        #expect(netrc.count >= 4 && helper.count >= 4 && htpasswd.count >= 8)
        for file in netrc { #expect(NetrcCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)") }
        for file in htpasswd { #expect(HtpasswdCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)") }
        for file in helper { #expect(CredentialHelperCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)") }
    }
}
