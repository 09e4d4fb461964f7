import FuzzChecks
import Support
import Testing

struct SOCKSGreetingCorpusTests {
    @Test("S-1 every seed of a SOCKS5 greeting, and every input that once failed, reads without a fault")
    func replay() throws {
        let files = Fixture.files(in: "Tests/Corpus/socks-greeting")
        #expect(files.count >= 10)
        for file in files {
            #expect(SOCKSGreetingCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)")
        }
    }
}
