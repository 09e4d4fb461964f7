import FuzzChecks
import Support
import Testing

@Suite struct CorpusTests {
    @Test("S-1 every seed of ClientHellos and every one that once failed reads without a fault")
    func clientHellos() throws {
        let files = Fixture.files(in: "Tests/Corpus/client-hello")
        #expect(files.count >= 12)
        for file in files { #expect(ClientHelloCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)") }
    }
}
