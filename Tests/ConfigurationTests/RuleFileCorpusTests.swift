import Foundation
import FuzzChecks
import Testing

/// Replays the fuzzer's corpus, and the fixtures through the fuzzer's check.
@Suite
struct RuleFileCorpusTests {
    static let seeds: [URL] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folders = ["Corpus/rule-file", "Fixtures/rules"].map { tests.appending(path: $0) }
        return folders.flatMap { folder in
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (files ?? []).sorted { $0.path() < $1.path() }
        }
    }()

    @Test("there are seeds") func exist() { #expect(Self.seeds.count > 200) }

    @Test("S-1 no seed is misread", arguments: seeds)
    func replay(seed: URL) throws {
        #expect(RuleFileCheck.fault(of: [UInt8](try Data(contentsOf: seed))) == nil)
    }
}
