import FuzzChecks
import Support
import Testing

struct SecretTextCorpusTests {
    @Test("S-1 every netrc file and every helper's answer of the corpora reads without a fault")
    func replay() throws {
        let netrc = Fixture.files(in: "Tests/Corpus/netrc")
        let helper = Fixture.files(in: "Tests/Corpus/credential-helper")
        #expect(netrc.count >= 4 && helper.count >= 4)
        for file in netrc { #expect(NetrcCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)") }
        for file in helper { #expect(CredentialHelperCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)") }
    }
}
