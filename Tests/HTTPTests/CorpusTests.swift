import FuzzChecks
import Support
import Testing

@Suite struct CorpusTests {
    private static func inputs(_ subject: String) throws -> [(name: String, bytes: [UInt8])] {
        try Fixture.files(in: "Tests/Corpus/\(subject)").map { ($0, try Fixture.bytes($0)) }
    }

    @Test("S-1 every seed of heads and every one that once failed reads without a fault")
    func heads() throws {
        let inputs = try Self.inputs("head")
        #expect(inputs.count >= 20)
        for input in inputs { #expect(HeadCheck.fault(of: input.bytes) == nil, "\(input.name)") }
    }

    @Test("S-1 every seed of chunked bodies and every one that once failed reads without a fault")
    func chunkedBodies() throws {
        let inputs = try Self.inputs("chunked")
        #expect(inputs.count >= 10)
        for input in inputs { #expect(ChunkedCheck.fault(of: input.bytes) == nil, "\(input.name)") }
    }

    @Test("S-1 every seed of targets and every one that once failed reads without a fault")
    func targets() throws {
        let inputs = try Self.inputs("target")
        #expect(inputs.count >= 20)
        for input in inputs { #expect(TargetCheck.fault(of: input.bytes) == nil, "\(input.name)") }
    }
}
