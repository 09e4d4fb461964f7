import Foundation
import FuzzChecks
import Support
import Testing

struct ChallengeCorpusTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Corpus/challenge")

    @Test("S-1 every seed and every input that once failed reads without a fault")
    func replay() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
        #expect(files.count >= ChallengeField.all.count)
        for file in files {
            let fault = ChallengeCheck.fault(of: [UInt8](try Data(contentsOf: file)))
            #expect(fault == nil, "\(file.lastPathComponent)")
        }
    }

    @Test("S-1 every row of challenge fields is a seed", arguments: ChallengeField.all)
    func seeds(_ row: ChallengeField) throws {
        let seed = try Data(contentsOf: Self.folder.appending(path: row.id))
        #expect([UInt8](seed) == Array(row.values.joined(separator: [0x0a])))
    }
}
