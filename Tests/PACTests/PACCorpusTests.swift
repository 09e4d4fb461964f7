import FuzzChecks
import Support
import Testing

struct PACCorpusTests {
    @Test("S-1 every text of the corpus reads without a fault, as a result, as frames and as a file")
    func replay() throws {
        let files = Fixture.files(in: "Tests/Corpus/pac")
        #expect(files.count >= 6)
        for file in files { #expect(PACCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)") }
    }
}
