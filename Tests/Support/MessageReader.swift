/// A head as it came: its lines, split but not judged.
package struct MessageHead: Sendable {
    /// Every byte up to and with the empty line.
    package let bytes: [UInt8]
    /// The first line, without its line end.
    package let startLine: String
    /// Names and values in their order, blanks around values taken off.
    package let fields: [(name: String, value: String)]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        startLine = lines.first ?? ""
        fields = lines.dropFirst().filter { !$0.isEmpty }.map { line in
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return (line, "") }
            return (String(line[..<colon]), trimmed(line[line.index(after: colon)...]))
        }
    }

    /// The value of the first field of that name, whatever its case.
    package subscript(_ name: String) -> String? { values(name).first }

    /// The values of all fields of that name, whatever its case.
    package func values(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The head as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

private func trimmed(_ text: Substring) -> String {
    let blanks: Set<Character> = [" ", "\t"]
    let front = text.drop { blanks.contains($0) }
    guard let last = front.lastIndex(where: { !blanks.contains($0) }) else { return "" }
    return String(front[...last])
}

/// A body as it came, with its framing taken off.
package struct MessageBody: Sendable {
    /// The bytes, as far as the reader keeps them.
    package internal(set) var bytes: [UInt8] = []
    /// How many bytes there were.
    package internal(set) var count = 0
    /// The fields behind the last chunk.
    package internal(set) var trailers: [String] = []
    /// Equal for equal bytes within one process, kept or not.
    package var fingerprint: Int { hasher.finalize() }

    private var hasher = Hasher()
    var keeps = Int.max

    /// The fingerprint that a body of these bytes has.
    package static func fingerprint(of bytes: [UInt8]) -> Int {
        var body = MessageBody()
        body.append(bytes[...])
        return body.fingerprint
    }

    mutating func append(_ part: ArraySlice<UInt8>) {
        count += part.count
        unsafe part.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        if bytes.count < keeps { bytes += part.prefix(keeps - bytes.count) }
    }
}

/// How long a body is, as its reader decided.
enum BodyFraming {
    case none
    case length(Int)
    case chunked
    case untilClose
}

/// Takes messages off a socket, one after another.
final class MessageReader {
    let socket: Socket
    /// What was read from the socket and is not taken yet.
    private(set) var buffer: [UInt8] = []
    /// How long it rests after each part that it reads.
    var pace: Duration?
    /// Sees every byte as it comes from the socket.
    var tap: (([UInt8].SubSequence) -> Void)?

    init(_ socket: Socket) {
        self.socket = socket
    }

    /// Reads more; false at the end of the stream.
    func fill(by deadline: Deadline, waitingFor what: String) throws -> Bool {
        let start = buffer.count
        let count = try socket.read(into: &buffer, by: deadline, waitingFor: what)
        if count > 0 { tap?(buffer[start...]) }
        if let pace { pause(pace) }
        return count > 0
    }

    /// Takes up to `limit` bytes that are there already.
    func takeBuffered(_ limit: Int = .max) -> [UInt8] {
        let part = Array(buffer.prefix(limit))
        buffer.removeFirst(part.count)
        return part
    }

    /// Takes a head with its empty line; nil when the stream ended before its first byte.
    func head(by deadline: Deadline) throws -> MessageHead? {
        var scanned = 0
        while true {
            if let end = endOfHead(from: max(0, scanned - 3)) { return MessageHead(takeBuffered(end)) }
            scanned = buffer.count
            if try !fill(by: deadline, waitingFor: "a head; so far there are \(buffer.count) bytes") {
                guard !buffer.isEmpty else { return nil }
                throw TestFailure("the stream ended within a head: \(String(decoding: buffer, as: UTF8.self))")
            }
        }
    }

    private func endOfHead(from start: Int) -> Int? {
        var index = start
        while let newline = buffer[index...].firstIndex(of: UInt8(ascii: "\n")) {
            let rest = buffer[(newline + 1)...]
            if rest.first == UInt8(ascii: "\n") { return newline + 2 }
            if rest.starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]) { return newline + 3 }
            index = newline + 1
        }
        return nil
    }

    /// Takes a body of that framing, keeping at most `keeps` of its bytes.
    func body(_ framing: BodyFraming, keeps: Int = .max, by deadline: Deadline) throws -> MessageBody {
        var body = MessageBody()
        body.keeps = keeps
        switch framing {
        case .none: break
        case .length(let length): try take(length, into: &body, by: deadline)
        case .untilClose:
            repeat { body.append(takeBuffered()[...]) } while try fill(by: deadline, waitingFor: "the end of a body")
        case .chunked:
            while true {
                let line = try self.line(by: deadline)
                guard let size = Int(line.prefix { $0.isHexDigit }, radix: 16) else {
                    throw TestFailure("a chunk begins with '\(line)'")
                }
                if size == 0 { break }
                try take(size, into: &body, by: deadline)
                guard try self.line(by: deadline).isEmpty else { throw TestFailure("a chunk is longer than its size") }
            }
            while case let line = try self.line(by: deadline), !line.isEmpty { body.trailers.append(line) }
        }
        return body
    }

    private func take(_ length: Int, into body: inout MessageBody, by deadline: Deadline) throws {
        var left = length
        while left > 0 {
            if buffer.isEmpty, try !fill(by: deadline, waitingFor: "\(left) more bytes of a body of \(length)") {
                throw TestFailure("the stream ended \(left) bytes before the end of a body of \(length)")
            }
            let part = buffer.prefix(left)
            body.append(part)
            left -= part.count
            buffer.removeFirst(part.count)
        }
    }

    private func line(by deadline: Deadline) throws -> String {
        while true {
            if let newline = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = takeBuffered(newline + 1).dropLast()
                return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
            guard try fill(by: deadline, waitingFor: "a line of a chunked body") else {
                throw TestFailure("the stream ended within a chunked body")
            }
        }
    }
}
