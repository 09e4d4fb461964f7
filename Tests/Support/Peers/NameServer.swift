import Foundation

/// A name server of the tests' own, by UDP and TCP, that may be slow, silent, cut short or false.
package final class NameServer: Sendable {
    /// What it says of one name; what is left out isn't done.
    package struct Entry: Encodable, Sendable {
        /// Addresses of IPv4, one list for each question in turn, the last one from then on.
        package var a: [[String]]?
        /// The same of IPv6.
        package var aaaa: [[String]]?
        /// What it is an alias of.
        package var cname: String?
        /// In seconds.
        package var ttl = 60
        /// The seconds before an answer, by type: `a`, `aaaa`.
        package var delay: [String: Double] = [:]
        /// How many datagrams of each type are lost.
        package var lose = 0
        /// Whether the answer doesn't fit a datagram.
        package var truncate = false
        /// The response code.
        package var rcode: Int?
        /// The type for which the name is said not to exist [RFC 4074 s.4.2].
        package var noName: String?
        /// The type that is never answered.
        package var silent: String?

        enum CodingKeys: String, CodingKey {
            case a, aaaa, cname, ttl, delay, lose, truncate, rcode, silent
            case noName = "no_name"
        }

        /// A name with these addresses at every question.
        package init(a: [String]? = nil, aaaa: [String]? = nil, _ change: (inout Entry) -> Void = { _ in }) {
            self.a = a.map { [$0] }
            self.aaaa = aaaa.map { [$0] }
            change(&self)
        }
    }

    package let port: UInt16
    package let process: TestProcess
    private let folder: ScratchFolder

    /// Starts it with these names; any other one doesn't exist.
    package init(_ zone: [String: Entry]) throws {
        folder = try ScratchFolder("nameserver")
        port = try FreePort.reserve()
        try folder.write(NameServer.text(zone), to: "zone")
        process = try TestProcess(
            "/usr/bin/python3",
            [Fixture.path("nameserver/nameserver.py"), "\(port)", folder("zone"), folder("log")]
        )
        try waitUntilAccepting(port, of: process)
    }

    private static func text(_ zone: [String: Entry]) throws -> String {
        String(decoding: try JSONEncoder().encode(zone), as: UTF8.self)
    }

    /// Has other names from now on.
    package func change(to zone: [String: Entry]) throws {
        try folder.write(NameServer.text(zone), to: "new")
        try FileManager.default.removeItem(atPath: folder("zone"))
        try FileManager.default.moveItem(atPath: folder("new"), toPath: folder("zone"))
    }

    /// The questions so far, each as `udp a name`.
    package var questions: [String] { folder.text(of: "log").split(separator: "\n").map(String.init) }

    /// How it is written in the rule file's `dns.servers`.
    package var authority: String { "127.0.0.1:\(port)" }
}
