import Testing

@testable import Bytes

@Suite struct ByteBufferTests {
    @Test("bytes come out in the order in which they went in")
    func order() {
        var buffer = ByteBuffer(capacity: 4)
        buffer.append("hello")
        buffer.consume(2)
        buffer.append([1, 2])
        buffer.append(UInt8(ascii: "!"))
        let read = [UInt8](buffer.readable)
        #expect(read == Array("llo".utf8) + [1, 2, UInt8(ascii: "!")])
    }

    @Test("any sequence of appending, writing and consuming equals a plain array")
    func model() {
        var buffer = ByteBuffer()
        var model: [UInt8] = []
        var seed: UInt32 = 7
        for _ in 0..<5000 {
            seed = seed &* 1_664_525 &+ 1_013_904_223
            let count = Int(seed >> 20) % 50
            switch seed >> 8 & 3 {
            case 0:
                let piece = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                buffer.append(piece)
                model += piece
            case 1:
                write(UInt8(truncatingIfNeeded: count), times: count, into: &buffer)
                model += [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
            case 2:
                let dropped = min(count, model.count)
                buffer.dropLast(dropped)
                model.removeLast(dropped)
            default:
                let consumed = min(2 * count, model.count)
                buffer.consume(consumed)
                model.removeFirst(consumed)
            }
            let read = [UInt8](buffer.readable)
            #expect(read == model)
        }
    }

    private func write(_ byte: UInt8, times count: Int, into buffer: inout ByteBuffer) {
        var window = buffer.writable(minimum: count)
        for index in 0..<count { window[index] = byte }
        buffer.commit(count)
    }

    @Test("a buffer that is emptied as it is filled keeps its capacity")
    func capacity() {
        var buffer = ByteBuffer(capacity: 64)
        for _ in 0..<100 {
            buffer.append([UInt8](repeating: 1, count: 40))
            buffer.consume(40)
        }
        let capacity = buffer.capacity
        #expect(capacity == 64)
    }

    @Test("a queue that never runs empty takes at most twice what it holds, and 64 bytes")
    func slowConsumer() {
        var buffer = ByteBuffer()
        buffer.append([UInt8](repeating: 1, count: 100))
        for _ in 0..<10_000 {
            buffer.append([UInt8](repeating: 1, count: 10))
            buffer.consume(10)
        }
        let capacity = buffer.capacity
        #expect(capacity <= 2 * 110 + 64)
    }

    @Test("shrinking keeps what is readable")
    func shrinking() {
        var buffer = ByteBuffer(capacity: 1000)
        buffer.append("hello")
        buffer.consume(1)
        buffer.shrink()
        let capacity = buffer.capacity
        let read = String(buffer.readable)
        #expect(capacity == 4)
        #expect(read == "ello")
    }

    @Test(
        "numbers are written in digits",
        arguments: [(0, "0"), (7, "7"), (10, "10"), (-42, "-42"), (Int.max, "9223372036854775807")]
    )
    func decimal(_ value: Int, _ text: String) {
        var buffer = ByteBuffer()
        buffer.append(decimal: value)
        let read = String(buffer.readable)
        #expect(read == text)
    }

    @Test("the largest number has all its digits")
    func largest() {
        var buffer = ByteBuffer()
        buffer.append(decimal: UInt64.max)
        buffer.append(" ")
        buffer.append(hex: UInt64.max)
        let read = String(buffer.readable)
        #expect(read == "18446744073709551615 ffffffffffffffff")
    }

    @Test("widths are filled with zeros and never cut")
    func widths() {
        var buffer = ByteBuffer()
        buffer.append(decimal: UInt64(7), width: 2)
        buffer.append(" ")
        buffer.append(decimal: UInt64(123), width: 2)
        buffer.append(" ")
        buffer.append(decimal: UInt64(0), width: 3)
        buffer.append(" ")
        buffer.append(hex: 1, width: 8)
        buffer.append(" ")
        buffer.append(hex: 0)
        buffer.append(" ")
        buffer.append(hex: 0x1abc, width: 2)
        let read = String(buffer.readable)
        #expect(read == "07 123 000 00000001 0 1abc")
    }

    @Test("bytes are written as pairs of hexadecimal digits")
    func hexOfBytes() {
        var buffer = ByteBuffer()
        let bytes: [UInt8] = [0, 0x0f, 0xa0, 0xff]
        buffer.append(lowercaseHexOf: bytes.span)
        let read = String(buffer.readable)
        #expect(read == "000fa0ff")
    }

    @Test("consuming more than there is ends the process")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var buffer = ByteBuffer()
            buffer.append("a")
            buffer.consume(2)
        }
    }
}
