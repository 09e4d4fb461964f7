import Bytes
import HTTP
import Testing

@testable import Exchange

@Suite struct BodyReaderTests {
    private func reader(_ length: BodyLength) -> BodyReader {
        var reader = BodyReader()
        reader.begin(length, .request, limits: Limits())
        return reader
    }

    @Test("H-4 a body without content is ended at once", arguments: [BodyLength.none, .fixed(0)])
    func empty(_ length: BodyLength) {
        var reader = reader(length)
        #expect(reader.isEnded)
        #expect(reader.next(Array("GET".utf8).span, from: 0) == .end(consumed: 0))
        #expect(reader.endOfFile() == true)
    }

    @Test("H-4 a body of a given length takes that many bytes and leaves the rest")
    func fixed() {
        var reader = reader(.fixed(5))
        #expect(reader.next(Array("xhe".utf8).span, from: 1) == .content(1..<3))
        #expect(reader.next(Array("xhe".utf8).span, from: 3) == .needMore)
        #expect(reader.endOfFile() == false)
        #expect(reader.next(Array("lloGET".utf8).span, from: 0) == .content(0..<3))
        #expect(reader.isEnded)
        #expect(reader.next(Array("lloGET".utf8).span, from: 3) == .end(consumed: 3))
    }

    @Test("H-14 a length of over 2^32 is counted down, past the reader too")
    func large() {
        var reader = reader(.fixed(1 << 40))
        _ = reader.next([1, 2, 3].span, from: 0)
        #expect(reader.remaining == (1 << 40) - 3)
        reader.skipped(1 << 39)
        #expect(reader.remaining == (1 << 39) - 3)
        reader.skipped(1 << 39)
        #expect(reader.isEnded)
    }

    @Test("H-4 a chunked body ends behind its trailers")
    func chunked() {
        var reader = reader(.chunked)
        let bytes = Array("3\r\nabc\r\n0\r\nX: y\r\n\r\nGET".utf8)
        #expect(reader.next(bytes.span, from: 0) == .content(3..<6))
        #expect(reader.next(bytes.span, from: 6) == .end(consumed: bytes.count - 3))
        #expect(reader.isEnded)
        #expect(reader.trailers?.count == 1)
    }

    @Test("H-4 a chunked body that is malformed fails, one that its connection cuts short is not ended")
    func broken() {
        var bad = reader(.chunked)
        guard case .failed(let error) = bad.next(Array("x\r\n".utf8).span, from: 0) else {
            Issue.record("it was taken")
            return
        }
        #expect(error.status == 400)
        var short = reader(.chunked)
        #expect(short.next(Array("3\r\nabc\r\n".utf8).span, from: 0) == .content(3..<6))
        #expect(short.endOfFile() == false)
    }

    @Test("H-14 the end of the connection ends a body of unknown length")
    func untilClose() {
        var reader = reader(.untilClose)
        #expect(reader.isUntilClose)
        #expect(reader.next([1, 2].span, from: 0) == .content(0..<2))
        #expect(reader.next([1, 2].span, from: 2) == .needMore)
        #expect(!reader.isEnded)
        #expect(reader.endOfFile() == true)
        #expect(reader.isEnded)
    }
}
