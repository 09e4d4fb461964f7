import Bytes
import HTTP

/// What must hold for any bytes read as a chunked body.
package enum ChunkedCheck {
    private struct Reading: Equatable {
        var data: [UInt8] = []
        var end: Int?
        var failure: String?
        var trailers: [[UInt8]] = []
    }

    /// Decodes the input whole and in pieces of several sizes; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        let whole = decode(input, pieces: [input.count])
        for size in [1, 2, 3, 7] where decode(input, pieces: [size]) != whole { return "pieces of \(size) differ" }
        if whole.end != nil && whole.failure != nil { return "an end and a failure" }
        if let end = whole.end {
            if end > input.count { return "an end behind the input" }
            if Array(input[..<end]).suffix(2) != [0x0d, 0x0a] { return "an end that is no CRLF" }
        }
        return whole.end == nil ? nil : faultOfRewriting(whole)
    }

    private static func decode(_ input: [UInt8], pieces: [Int]) -> Reading {
        var reading = Reading()
        var decoder = ChunkedDecoder(.request)
        var start = 0
        while start < input.count {
            let piece = input.span.extracting(start..<min(start + max(pieces[0], 1), input.count))
            var index = 0
            pieces: while true {
                switch decoder.decode(piece, from: index) {
                case .needMore: break pieces
                case .data(let range):
                    reading.data += [UInt8](piece.extracting(range))
                    index = range.upperBound
                case .failed(let error):
                    reading.failure = "\(error.reason) at \(error.offset)"
                    return reading
                case .end(let end):
                    reading.end = start + end
                    for line in 0..<decoder.trailers.count {
                        reading.trailers.append([UInt8](decoder.trailers.nameBytes(line)))
                        reading.trailers.append([UInt8](decoder.trailers.value(line)))
                    }
                    return reading
                }
            }
            start += piece.count
        }
        return reading
    }

    /// What is written from a body decodes to the same data and trailers.
    private static func faultOfRewriting(_ reading: Reading) -> String? {
        var buffer = ByteBuffer()
        if !reading.data.isEmpty {
            ChunkedCoding.appendChunkHeader(size: reading.data.count, into: &buffer)
            buffer.append(reading.data)
            ChunkedCoding.appendChunkEnd(into: &buffer)
        }
        var trailers = Fields()
        for line in stride(from: 0, to: reading.trailers.count, by: 2) {
            let name = reading.trailers[line]
            let value = reading.trailers[line + 1]
            trailers.append(name: name.span, value: value.span)
        }
        ChunkedCoding.appendLastChunk(trailers: trailers, into: &buffer)
        let again = decode([UInt8](buffer.readable), pieces: [buffer.count])
        return again.data == reading.data && again.trailers == reading.trailers ? nil : "a rewritten body differs"
    }
}
