import Crypto
import Testing

struct RandomBytesTests {
    @Test("random bytes have the length asked for and differ")
    func differ() {
        let values = (0..<64).map { _ in RandomBytes.bytes(count: 16) }
        #expect(values.allSatisfy { $0.count == 16 })
        #expect(Set(values).count == 64)
        #expect(RandomBytes.bytes(count: 0).isEmpty)
    }

    @Test("random hex is lower-case and twice as long")
    func hex() {
        let digits = RandomBytes.hex(count: 16)
        #expect(digits.count == 32)
        #expect(digits.allSatisfy { "0123456789abcdef".utf8.contains($0) })
    }
}
