internal import Glibc

/// A response with all that belongs to it.
package struct HTTPResponse: Sendable {
    package let head: MessageHead
    package let body: MessageBody
    /// The interim responses (1xx) that came before it.
    package let interim: [MessageHead]

    /// The status, 0 when the first line has none.
    package var status: Int { statusCode(of: head) }
    /// The body as text.
    package var text: String { String(decoding: body.bytes, as: UTF8.self) }
    /// The value of the first field of that name, whatever its case.
    package subscript(_ name: String) -> String? { head[name] }
    /// The values of all fields of that name.
    package func values(_ name: String) -> [String] { head.values(name) }
}

private func statusCode(of head: MessageHead) -> Int {
    head.startLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}

/// One connection of a client that sends what it is told, right or wrong, and takes responses apart.
///
/// Every operation ends by the limit that the connection was made with, counted from its own beginning.
package final class HTTPClient {
    /// How a connection was ended by the other side.
    package enum Closing: Sendable, Equatable {
        case endOfStream
        case reset
    }

    private let socket: Socket
    private let reader: MessageReader
    private let limit: Duration

    /// Connects to a loopback port, from the address `source` where it is given; a small `receiveBuffer` makes it a slow reader's.
    package init(
        port: UInt16,
        address: String = "127.0.0.1",
        source: String? = nil,
        limit: Duration = .seconds(20),
        receiveBuffer: Int? = nil
    ) throws {
        self.limit = limit
        socket = try Socket.connected(
            port: port,
            address: address,
            source: source,
            receiveBuffer: receiveBuffer,
            by: Deadline(limit)
        )
        reader = MessageReader(socket)
    }

    /// Its own port, by which the peer knows it.
    package var port: UInt16 { socket.port }

    /// Sends bytes.
    package func send(_ bytes: [UInt8]) throws { try socket.write(bytes, by: Deadline(limit)) }

    /// Sends text as UTF-8.
    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Takes the next final response; `method` is the request's, which its framing depends on [RFC 9112 6.3].
    package func receive(to method: String = "GET", keeps: Int = .max) throws -> HTTPResponse {
        let (head, interim) = try receiveHead()
        let body = try reader.body(framing(of: head, to: method), keeps: keeps, by: Deadline(limit))
        return HTTPResponse(head: head, body: body, interim: interim)
    }

    /// Takes the head of the next final response, and the interim ones before it.
    package func receiveHead() throws -> (head: MessageHead, interim: [MessageHead]) {
        let deadline = Deadline(limit)
        var interim: [MessageHead] = []
        while let head = try reader.head(by: deadline) {
            guard (100..<200).contains(statusCode(of: head)), statusCode(of: head) != 101 else {
                return (head, interim)
            }
            interim.append(head)
        }
        throw TestFailure("the connection ended in place of a response")
    }

    /// Takes the next head, interim or not.
    package func receiveAnyHead() throws -> MessageHead {
        guard let head = try reader.head(by: Deadline(limit)) else {
            throw TestFailure("the connection ended in place of a response")
        }
        return head
    }

    /// Sends a request and takes its response.
    package func exchange(_ request: String, keeps: Int = .max) throws -> HTTPResponse {
        try send(request)
        return try receive(to: String(request.prefix { $0 != " " }), keeps: keeps)
    }

    private func framing(of head: MessageHead, to method: String) throws -> BodyFraming {
        let status = statusCode(of: head)
        if method == "HEAD" || status == 101 || status == 204 || status == 304 { return .none }
        if method == "CONNECT", (200..<300).contains(status) { return .none }
        if let coding = head["Transfer-Encoding"] {
            return coding.lowercased().hasSuffix("chunked") ? .chunked : .untilClose
        }
        guard let text = head["Content-Length"] else { return .untilClose }
        guard let length = Int(text) else { throw TestFailure("Content-Length: \(text)") }
        return .length(length)
    }

    /// Takes exactly `count` bytes.
    package func receive(bytes count: Int) throws -> [UInt8] {
        try reader.body(.length(count), by: Deadline(limit)).bytes
    }

    /// Takes `count` bytes and forgets them, `pause` after each part; gives their fingerprint.
    package func discard(bytes count: Int, pausing: Duration? = nil) throws -> Int {
        var body = MessageBody()
        body.keeps = 0
        while body.count < count {
            let part = try reader.body(.length(min(65_536, count - body.count)), by: Deadline(limit))
            body.append(part.bytes[...])
            if let pausing { pause(pausing) }
        }
        return body.fingerprint
    }

    /// Drops `count` bytes unseen, as fast as they come.
    package func drop(bytes count: Int) throws {
        let deadline = Deadline(limit)
        var left = count - reader.takeBuffered(count).count
        while left > 0 {
            let dropped = try socket.drop(left, by: deadline)
            guard dropped > 0 else { throw TestFailure("the stream ended \(left) bytes too early") }
            left -= dropped
        }
    }

    /// Takes all that comes up to the end of the stream, which must come.
    package func receiveToEnd() throws -> [UInt8] {
        try reader.body(.untilClose, by: Deadline(limit)).bytes
    }

    /// Waits for the other side to end the connection, which may send nothing before.
    package func waitForClose() throws -> Closing {
        do {
            guard try reader.buffer.isEmpty && !reader.fill(by: Deadline(limit), waitingFor: "the connection's end")
            else {
                throw TestFailure("came in place of an end: \(String(decoding: reader.buffer, as: UTF8.self))")
            }
            return .endOfStream
        } catch Socket.Ended.reset {
            return .reset
        }
    }

    /// Whether nothing comes, not even an end, for that long.
    package func isSilent(for duration: Duration) throws -> Bool {
        try reader.buffer.isEmpty && !socket.wait(for: CInt(POLLIN), by: Deadline(duration))
    }

    /// Sends the end of the stream; responses still come.
    package func finishSending() { socket.finishSending() }

    /// Ends the connection.
    package func close() { socket.close() }

    /// Ends the connection by a reset.
    package func reset() { socket.close(reset: true) }
}
