import FuzzChecks
import Support
import Testing

/// Replays the fuzzer's corpus, and the fixtures through the fuzzer's check.
@Suite
struct RuleFileCorpusTests {
    static let seeds = ["Tests/Corpus/rule-file", "Tests/Fixtures/rules"].flatMap(Fixture.files(in:))

    @Test("there are seeds") func exist() { #expect(Self.seeds.count > 200) }

    @Test("S-1 no seed is misread", arguments: seeds)
    func replay(seed: String) throws {
        #expect(RuleFileCheck.fault(of: try Fixture.bytes(seed)) == nil)
    }
}
