import Bytes
import HTTP
import Support
import Testing

@Suite struct MalformedMessageTests {
    static let requests = MalformedRequests.all(authority: "origin.test:8080")

    @Test("H-4 at least forty malformed requests and forty lying responses are known")
    func enough() {
        #expect(Self.requests.count >= 40)
        #expect(LyingResponses.all.count >= 40)
    }

    @Test("H-4 a malformed request is refused with its status and reason", arguments: requests)
    func request(_ message: MalformedMessage) {
        let error = Self.refusal(of: message, step: message.bytes.count)
        #expect(error?.reason == message.reason)
        #expect(error.map { Int($0.status) } == message.status)
    }

    @Test("H-4 a malformed request is refused for the same reason if it drips in", arguments: requests)
    func drippingRequest(_ message: MalformedMessage) {
        #expect(Self.refusal(of: message, step: 1)?.reason == message.reason)
    }

    @Test("H-4 a lying response is refused with 502 and its reason", arguments: LyingResponses.all)
    func response(_ message: MalformedMessage) {
        let error = Self.refusal(of: message, step: message.bytes.count, isResponse: true)
        #expect(error?.reason == message.reason)
        #expect(error.map { Int($0.status) } == message.status)
    }

    @Test("H-4 a lying response is refused for the same reason if it drips in", arguments: LyingResponses.all)
    func drippingResponse(_ message: MalformedMessage) {
        #expect(Self.refusal(of: message, step: 1, isResponse: true)?.reason == message.reason)
    }

    /// Reads the message as it grows by `step` bytes; the error, if it lies where it should.
    static func refusal(of message: MalformedMessage, step: Int, isResponse: Bool = false) -> ParseError? {
        var request = RequestHead()
        var response = ResponseHead()
        var count = 0
        repeat {
            count = min(count + step, message.bytes.count)
            let bytes = message.bytes.span.extracting(0..<count)
            let outcome =
                isResponse
                ? response.parse(bytes, limits: Limits(), requestMethod: .get)
                : request.parse(bytes, limits: Limits())
            switch outcome {
            case .needMore: continue
            case .failed(let error): return message.part == .head ? error : nil
            case .head(let end):
                guard message.part == .body else { return nil }
                let body = Array(message.bytes[end...])
                return bodyRefusal(body, isResponse ? .response : .request, step: step)
            }
        } while count < message.bytes.count
        return nil
    }

    static func bodyRefusal(_ body: [UInt8], _ way: ParseError.Message, step: Int) -> ParseError? {
        var decoder = ChunkedDecoder(way)
        var start = 0
        while start < body.count {
            let piece = body.span.extracting(start..<min(start + step, body.count))
            var index = 0
            pieces: while true {
                switch decoder.decode(piece, from: index) {
                case .needMore: break pieces
                case .data(let range): index = range.upperBound
                case .end: return nil
                case .failed(let error): return error
                }
            }
            start += piece.count
        }
        return nil
    }
}
