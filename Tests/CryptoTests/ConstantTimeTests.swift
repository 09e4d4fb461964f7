import Crypto
import Testing

struct ConstantTimeTests {
    @Test("spans are equal when their bytes are")
    func equal() {
        #expect(equal([1, 2, 3], [1, 2, 3]))
        #expect(!equal([1, 2, 3], [1, 2, 4]))
        #expect(!equal([1, 2, 3], [1, 2]))
        #expect(equal([], []))
    }

    private func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        ConstantTime.equal(left.span, right.span)
    }
}
