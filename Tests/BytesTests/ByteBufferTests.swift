import Testing

@testable import Bytes

@Suite struct ByteBufferTests {
    @Test("bytes come out in the order in which they went in")
    func order() {
        var buffer = ByteBuffer(capacity: 4)
        buffer.append("hello")
        buffer.consume(2)
        buffer.append([1, 2])
        let read = [UInt8](buffer.readable)
        #expect(read == Array("llo".utf8) + [1, 2])
    }
}
