import FuzzChecks
import Support
import Testing

struct TokenResponseCorpusTests {
    @Test("S-1 every seed of a token response, and every input that once failed, reads without a fault")
    func replay() throws {
        let files = Fixture.files(in: "Tests/Corpus/token-response")
        #expect(files.count >= 10)
        for file in files {
            #expect(TokenResponseCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)")
        }
    }
}
