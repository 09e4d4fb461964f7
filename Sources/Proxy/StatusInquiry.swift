internal import Bytes
internal import Events
internal import Glibc
package import Rules

/// Asks the running processes how they are: by their control sockets, or where there is none by `/readyz` (O-2).
package struct StatusInquiry {
    /// What one process says.
    package struct Answer: Equatable, Sendable {
        /// Its number; nil where only `/readyz` was there to be asked.
        package let process: Int32?
        /// Whether it takes requests.
        package let isReady: Bool
        /// What it tells of itself.
        package let lines: [String]
    }

    /// What is asked for.
    package enum Form: Equatable, Sendable {
        case readiness, text, json
    }

    private let location: StateLocation
    private let admin: AdminConfiguration?
    /// What went wrong, a line each.
    package private(set) var problems: [String] = []

    /// An inquiry where the ledger is kept, and at the admin listener of the rules.
    package init(at location: StateLocation, admin: AdminConfiguration?) {
        self.location = location
        self.admin = admin
    }

    /// The answers of all processes that run.
    package mutating func answers(_ form: Form) -> [Answer] {
        var running = RunningProcesses(at: location)
        let request: ControlRequest = form == .readiness ? .phase : .status(isJSON: form == .json)
        let answers = running.ask(request).compactMap { process, reply -> Answer? in
            guard case .status(let phase, let lines) = reply else { return nil }
            return Answer(process: process, isReady: phase == .ready, lines: lines)
        }
        problems += running.problems
        if answers.isEmpty, let line = readyzLine {
            // "HTTP/1.1 200 OK", and for the end 503 [RFC 9112 s.4].
            let isReady = line.split(separator: " ").dropFirst().first == "200"
            return [Answer(process: nil, isReady: isReady, lines: form == .text ? ["/readyz says \(line)"] : [])]
        }
        return answers
    }

    /// The status line of `/readyz`; nil where nobody says one.
    private var readyzLine: String? {
        guard let admin, let stream = Self.connection(to: admin.address) else { return nil }
        guard stream.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
            let text = stream.receive(limit: 64 * 1024)
        else { return nil }
        return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    private static func connection(to address: ListenerConfiguration.Address) -> UnixStream? {
        switch address {
        case .unix(let path):
            do throws(UnixStream.Failure) {
                return try UnixStream.connecting(to: path)
            } catch {
                return nil
            }
        case .tcp(let address, let port):
            let loopback: IPAddress = address.family == .v6 ? .loopbackV6 : .loopbackV4
            let place = SocketAddress(address.isUnspecified ? loopback : address, port: port)
            do throws(SystemError) {
                return UnixStream(try Descriptor.connected(to: place, seconds: 2))
            } catch {
                return nil
            }
        case .systemd: return nil
        }
    }
}
