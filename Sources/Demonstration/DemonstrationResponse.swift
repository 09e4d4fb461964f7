internal import Bytes
internal import HTTP

/// A short page or a demand.
struct DemonstrationResponse {
    /// The field that tells how the request was authenticated.
    static let answeredField = "Demo-Answered"

    var status: UInt16
    /// Field lines beside those that every response has.
    var fields: [(name: String, value: String)] = []
    var text: String

    /// Writes it; `isHeadOnly` leaves the body out [RFC 9110 s.9.3.2].
    func append(into buffer: inout ByteBuffer, closes: Bool, isHeadOnly: Bool = false) {
        HeadSerializer.appendStatusLine(status, into: &buffer)
        HeadSerializer.appendField("Content-Type", "text/plain; charset=utf-8", into: &buffer)
        for field in fields { HeadSerializer.appendField(field.name, field.value, into: &buffer) }
        HeadSerializer.appendContentLength(UInt64(text.utf8.count), into: &buffer)
        if closes { HeadSerializer.appendField("Connection", "close", into: &buffer) }
        HeadSerializer.appendLineEnd(into: &buffer)
        if !isHeadOnly { buffer.append(text) }
    }
}
