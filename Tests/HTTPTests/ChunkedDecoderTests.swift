import Bytes
import Testing

@testable import HTTP

@Suite struct ChunkedDecoderTests {
    struct Reading: Equatable {
        var data = ""
        var end: Int?
        var reason: String?
    }

    static func decode(_ text: String, step: Int, decoder: inout ChunkedDecoder) -> Reading {
        let bytes = Array(text.utf8)
        var reading = Reading()
        var start = 0
        while start < bytes.count {
            let piece = bytes.span.extracting(start..<min(start + step, bytes.count))
            var index = 0
            pieces: while true {
                switch decoder.decode(piece, from: index) {
                case .needMore: break pieces
                case .data(let range):
                    reading.data += String(piece.extracting(range))
                    index = range.upperBound
                case .end(let end):
                    reading.end = start + end
                    return reading
                case .failed(let error):
                    reading.reason = error.reason
                    return reading
                }
            }
            start += piece.count
        }
        return reading
    }

    @Test(
        "a body is read in pieces of any size, and nothing behind it",
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("005\r\nhello\r\n000\r\n\r\n", "hello"),
            ("A\r\n0123456789\r\nb\r\n01234567890\r\n0\r\n\r\n", "012345678901234567890"),
            ("1;a\r\nx\r\n1 ; b = c ;d=\"e\\\";\\\\\"\r\ny\r\n0;last\r\n\r\n", "xy"), ("1\r\n\n\r\n0\r\n\r\n", "\n"),
        ]
    )
    func pieces(_ text: String, _ data: String) {
        for step in 1...(text.utf8.count + 4) {
            var decoder = ChunkedDecoder(.response)
            let reading = Self.decode("\(text)GET ", step: step, decoder: &decoder)
            #expect(reading == Reading(data: data, end: text.utf8.count))
            #expect(decoder.trailers.isEmpty)
        }
    }

    @Test("H-8 trailers are read in pieces of any size")
    func trailers() {
        let text = "1\r\nx\r\n0\r\nX-Sum: 1\r\nVia: 2\r\n\r\n"
        for step in 1...(text.utf8.count + 4) {
            var decoder = ChunkedDecoder(.request)
            let reading = Self.decode("\(text)rest", step: step, decoder: &decoder)
            #expect(reading == Reading(data: "x", end: text.utf8.count))
            #expect(decoder.trailers.count == 2)
            #expect(decoder.trailers.text(.via) == "2")
        }
    }

    @Test("H-14 a chunk may be larger than memory")
    func large() {
        var decoder = ChunkedDecoder(.response)
        let reading = Self.decode("7fffffffffffffff\r\nabc", step: 100, decoder: &decoder)
        #expect(reading == Reading(data: "abc"))
    }

    @Test("S-2 extensions may not outweigh the data for long, and may while they don't")
    func overhead() {
        let padding = String(repeating: "a", count: 1000)
        var decoder = ChunkedDecoder(.request)
        let light = String(repeating: "1;\(padding)\r\nx\r\n", count: 18)
        #expect(Self.decode(light, step: 4096, decoder: &decoder).reason == "request.chunk-extension")
        var patient = ChunkedDecoder(.request)
        let data = String(repeating: "x", count: 1000)
        let heavy = String(repeating: "3e8;\(padding)\r\n\(data)\r\n", count: 200)
        #expect(Self.decode(heavy, step: 4096, decoder: &patient).reason == nil)
    }

    @Test("S-2 a trailer section is bounded like a head")
    func trailerLimits() {
        let long = "0\r\nX: \(String(repeating: "a", count: 100))\r\n\r\n"
        var small = ChunkedDecoder(.response, limits: Limits(head: 100))
        #expect(Self.decode(long, step: 10, decoder: &small).reason == "response.head-length")
        var few = ChunkedDecoder(.response, limits: Limits(fields: 1))
        #expect(Self.decode("0\r\nX: y\r\nX: y\r\n\r\n", step: 10, decoder: &few).reason == "response.field-count")
    }

    @Test("an error lies at the byte that is wrong, counted over all pieces", arguments: [1, 3, 100])
    func offsets(_ step: Int) {
        var decoder = ChunkedDecoder(.request)
        let bytes = Array("5\r\nhello!\r\n".utf8)
        var start = 0
        while start < bytes.count {
            let piece = bytes.span.extracting(start..<min(start + step, bytes.count))
            var index = 0
            pieces: while true {
                switch decoder.decode(piece, from: index) {
                case .needMore, .end: break pieces
                case .data(let range): index = range.upperBound
                case .failed(let error):
                    #expect(error.offset == 8)
                    return
                }
            }
            start += piece.count
        }
        Issue.record("no error")
    }

    @Test("what is written decodes")
    func written() {
        var buffer = ByteBuffer()
        ChunkedCoding.appendChunkHeader(size: 26, into: &buffer)
        buffer.append("abcdefghijklmnopqrstuvwxyz")
        ChunkedCoding.appendChunkEnd(into: &buffer)
        ChunkedCoding.appendLastChunk(
            trailers: FieldsTests.fields([("Via", "1"), ("Date", "2")]),
            except: [.date],
            into: &buffer
        )
        ChunkedCoding.appendLastChunk(into: &buffer)
        let text = String(buffer.readable)
        #expect(text == "1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nVia: 1\r\n\r\n0\r\n\r\n")
    }
}
