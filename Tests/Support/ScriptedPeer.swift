/// An origin or a parent proxy in this process, whose answers a closure decides and which keeps all that it was asked.
///
/// Each connection has a thread of its own; the closures run on it. What a connection got is kept up to `transcriptLimit`.
package final class ScriptedPeer: Sendable {
    /// One thing that a connection does, in the order given.
    package enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// Sends that many bytes of a body, made while they go: byte n is `pattern(n)`.
        case sendPattern(Int)
        case pause(Duration)
        case wait(Gate)
        /// Reads slowly from now on: so long for each part of at most 64 KiB.
        case readSlowly(Duration)
        /// Joins the connection to a local port, up to the end of either.
        case tunnel(to: UInt16)
        /// Sends back what comes, up to its end.
        case echo
        case finishSending
        case close
        case reset
        /// Neither reads nor answers, up to the end of the peer.
        case hang
    }

    /// A request as it came.
    package struct Request: Sendable {
        /// Which connection it came on, counted from 0 in the order they were accepted.
        package let connection: Int
        /// Which request of its connection it is, counted from 0.
        package let index: Int
        package let head: MessageHead
        /// What of the body came; empty for `beforeBody`.
        package internal(set) var body = MessageBody()

        /// The method of the first line.
        package var method: String { part(0) }
        /// The target of the first line.
        package var target: String { part(1) }
        /// The first field of that name.
        package subscript(_ name: String) -> String? { head[name] }

        private func part(_ index: Int) -> String {
            let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
            return parts.indices.contains(index) ? String(parts[index]) : ""
        }
    }

    /// How many bytes of a body, and of a connection's transcript, are kept.
    package static let transcriptLimit = 1 << 20

    package typealias Script = @Sendable (Request) -> [Step]

    /// The port it listens on, at 127.0.0.1.
    package let port: UInt16
    private let state: PeerState

    /// Listens at once, on `port` or a free one.
    ///
    /// `beforeBody` is asked when a head has come; by itself it sends 100 to who expects it. `answer` is asked when the
    /// whole request is here, unless the connection was closed before.
    package init(port: UInt16 = 0, beforeBody: Script? = nil, answer: @escaping Script) throws {
        let listener = try Socket.listening(port: port)
        self.port = listener.port
        let state = PeerState(listener: listener, beforeBody: beforeBody ?? ScriptedPeer.continues, answer: answer)
        self.state = state
        try detachThread { state.acceptAll() }
    }

    deinit { state.stop() }

    private static let continues: Script = { request in
        request["Expect"]?.lowercased() == "100-continue" ? [.send("HTTP/1.1 100 Continue\r\n\r\n")] : []
    }

    /// The requests whose bodies have come in full, in the order in which they did.
    package var requests: [Request] { state.log.withLock { $0.requests } }

    /// How many connections were accepted.
    package var connectionCount: Int { state.log.withLock { $0.transcripts.count } }

    /// How many connections are open.
    package var openConnectionCount: Int { state.log.withLock { $0.open.count } }

    /// All bytes that a connection got.
    package func transcript(of connection: Int) -> [UInt8] {
        state.log.withLock { $0.transcripts.indices.contains(connection) ? $0.transcripts[connection] : [] }
    }

    /// What could not be read as a request, in words, in the order in which it came.
    package var faults: [String] { state.log.withLock { $0.faults } }

    /// Returns once `count` requests have come.
    @discardableResult
    package func waitForRequests(_ count: Int, within limit: Duration = .seconds(10)) throws -> [Request] {
        try eventually("\(count) requests; \(requests.count) came", within: limit) { requests.count >= count }
        return requests
    }

    /// Forgets the requests that have come so far.
    package func forget() { state.log.withLock { $0.requests = [] } }

    /// Closes every open connection, and goes on listening.
    package func closeConnections() { state.endConnections() }

    /// Resets every open connection, and goes on listening.
    package func resetConnections() { state.endConnections(byReset: true) }

    /// Stops listening and ends every connection.
    package func stop() { state.stop() }

    /// Byte `n` of a body sent by `sendPattern`: its place within 64 KiB, mixed with which 64 KiB it is.
    package static func pattern(_ n: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: n) ^ UInt8(truncatingIfNeeded: n >> 8) ^ UInt8(truncatingIfNeeded: n >> 16)
    }

    /// The bytes of that pattern.
    package static func pattern(_ range: Range<Int>) -> [UInt8] { range.map(pattern) }
}

extension ScriptedPeer.Step {
    /// A response whose Content-Length fits; `fields` are whole lines such as `"ETag: x"`.
    package static func response(_ status: Int = 200, _ fields: [String] = [], body: String = "") -> Self {
        let lines = ["HTTP/1.1 \(status) Scripted"] + fields + ["Content-Length: \(body.utf8.count)", "", body]
        return .send(lines.joined(separator: "\r\n"))
    }

    /// A 401 with these challenges, a field for each.
    package static func unauthorized(_ challenges: String..., body: String = "who are you?") -> Self {
        response(401, challenges.map { "WWW-Authenticate: \($0)" }, body: body)
    }

    /// A 407 with these challenges, a field for each.
    package static func proxyAuthenticationRequired(_ challenges: String..., body: String = "who are you?") -> Self {
        response(407, challenges.map { "Proxy-Authenticate: \($0)" }, body: body)
    }
}

/// What the threads of a peer share; it outlives the peer until they have ended.
private final class PeerState: Sendable {
    struct Log {
        var requests: [ScriptedPeer.Request] = []
        var transcripts: [[UInt8]] = []
        var faults: [String] = []
        var open: [Int: Socket] = [:]
        var isStopped = false
    }

    let log = Locked(Log())
    private let listener: Socket
    private let beforeBody: ScriptedPeer.Script
    private let answer: ScriptedPeer.Script

    init(listener: Socket, beforeBody: @escaping ScriptedPeer.Script, answer: @escaping ScriptedPeer.Script) {
        self.listener = listener
        self.beforeBody = beforeBody
        self.answer = answer
    }

    var isStopped: Bool { log.withLock { $0.isStopped } }

    func stop() {
        log.withLock { $0.isStopped = true }
        listener.shutdown()
        endConnections()
    }

    func endConnections(byReset: Bool = false) {
        // The thread that owns a socket closes it when it sees the end.
        log.withLock { for socket in $0.open.values { socket.shutdown(reset: byReset) } }
    }

    func acceptAll() {
        while !isStopped {
            guard let socket = try? listener.accept(by: Deadline(.milliseconds(200))) else { continue }
            let connection = log.withLock { log in
                log.transcripts.append([])
                log.open[log.transcripts.count - 1] = socket
                return log.transcripts.count - 1
            }
            do {
                try detachThread { self.serve(socket, connection) }
            } catch {
                finish(socket, connection, fault: "\(error)")
            }
        }
        listener.close()
    }

    private func finish(_ socket: Socket, _ connection: Int, fault: String? = nil) {
        log.withLock { log in
            log.open[connection] = nil
            if let fault { log.faults.append(fault) }
        }
        socket.close()
    }

    private func serve(_ socket: Socket, _ connection: Int) {
        let reader = MessageReader(socket)
        reader.tap = { [log] bytes in
            log.withLock { log in
                let room = ScriptedPeer.transcriptLimit - log.transcripts[connection].count
                log.transcripts[connection] += bytes.prefix(max(0, room))
            }
        }
        let deadline = Deadline(.seconds(600))
        do {
            var index = 0
            while let head = try reader.head(by: deadline) {
                var request = ScriptedPeer.Request(connection: connection, index: index, head: head)
                guard try perform(beforeBody(request), on: reader) else { break }
                request.body = try reader.body(framing(of: request), keeps: ScriptedPeer.transcriptLimit, by: deadline)
                let complete = request
                log.withLock { $0.requests.append(complete) }
                guard try perform(answer(complete), on: reader) else { break }
                index += 1
            }
            finish(socket, connection)
        } catch is Socket.Ended {
            finish(socket, connection)
        } catch {
            finish(socket, connection, fault: isStopped ? nil : "\(error)")
        }
    }

    private func framing(of request: ScriptedPeer.Request) throws -> BodyFraming {
        if let coding = request["Transfer-Encoding"] {
            guard coding.lowercased() == "chunked" else { throw TestFailure("Transfer-Encoding: \(coding)") }
            return .chunked
        }
        guard let text = request["Content-Length"] else { return .none }
        guard let length = Int(text) else { throw TestFailure("Content-Length: \(text)") }
        return .length(length)
    }

    /// Carries the steps out; false when the connection is over.
    private func perform(_ steps: [ScriptedPeer.Step], on reader: MessageReader) throws -> Bool {
        let socket = reader.socket
        let deadline = Deadline(.seconds(600))
        for step in steps {
            switch step {
            case .send(let text): try socket.write(Array(text.utf8), by: deadline)
            case .sendBytes(let bytes): try socket.write(bytes, by: deadline)
            case .sendPattern(let count): try sendPattern(count, to: socket, by: deadline)
            case .pause(let duration): pause(duration)
            case .wait(let gate): try wait(for: gate)
            case .readSlowly(let duration): reader.pace = duration
            case .tunnel(let port): try tunnel(reader, to: port)
            case .echo:
                repeat {
                    try socket.write(reader.takeBuffered(), by: deadline)
                } while try reader.fill(by: deadline, waitingFor: "bytes to echo")
                return false
            case .finishSending: socket.finishSending()
            case .close: return false
            case .reset:
                socket.close(reset: true)
                return false
            case .hang:
                while !isStopped { pause(.milliseconds(20)) }
                return false
            }
            if case .tunnel = step { return false }
        }
        return true
    }

    private func wait(for gate: Gate) throws {
        try eventually("a gate to open", within: .seconds(120)) { gate.isOpen || isStopped }
    }

    private func sendPattern(_ count: Int, to socket: Socket, by deadline: Deadline) throws {
        // The pattern repeats after 16 MiB; parts of 64 KiB differ by one mask only.
        let part = ScriptedPeer.pattern(0..<65_536)
        var sent = 0
        while sent < count {
            let mask = UInt8(truncatingIfNeeded: sent >> 16)
            let bytes = mask == 0 ? part : part.map { $0 ^ mask }
            try socket.write(count - sent < bytes.count ? Array(bytes.prefix(count - sent)) : bytes, by: deadline)
            sent += bytes.count
        }
    }

    private func tunnel(_ reader: MessageReader, to port: UInt16) throws {
        let deadline = Deadline(.seconds(600))
        let far = try Socket.connected(port: port, by: deadline)
        let near = reader.socket
        let ended = Gate()
        try detachThread {
            var buffer: [UInt8] = []
            while let count = try? far.read(into: &buffer, by: deadline, waitingFor: "the far end"), count > 0 {
                guard (try? near.write(buffer, by: deadline)) != nil else { break }
                buffer = []
            }
            near.finishSending()
            ended.opens()
        }
        defer { far.shutdown() }
        repeat {
            try far.write(reader.takeBuffered(), by: deadline)
        } while try reader.fill(by: deadline, waitingFor: "the near end")
        far.finishSending()
        try ended.wait(within: .seconds(600))
    }
}
