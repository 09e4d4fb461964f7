import FuzzChecks
import Support
import Testing

struct ChallengeCorpusTests {
    private static let folder = "Tests/Corpus/challenge"

    @Test("S-1 every seed and every input that once failed reads without a fault")
    func replay() throws {
        let files = Fixture.files(in: Self.folder)
        #expect(files.count >= ChallengeField.all.count)
        for file in files {
            #expect(ChallengeCheck.fault(of: try Fixture.bytes(file)) == nil, "\(file)")
        }
    }

    @Test("S-1 every row of challenge fields is a seed", arguments: ChallengeField.all)
    func seeds(_ row: ChallengeField) throws {
        #expect(try Fixture.bytes("\(Self.folder)/\(row.id)") == Array(row.values.joined(separator: [0x0a])))
    }
}
