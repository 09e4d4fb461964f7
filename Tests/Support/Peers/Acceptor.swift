import Foundation

/// An origin, or a parent proxy, that authenticates by Basic, Digest, NTLM and Negotiate as it is told, and keeps each leg.
///
/// It is a program of the tests' own over pyspnego and, for Kerberos, MIT's acceptor. A response of its own says in
/// X-Identity for whom it is and in X-Connection on which connection it went; a parent's in X-Parent-Identity. A parent
/// dials 127.0.0.1 for every name, and keeps one upstream connection for each connection and origin.
package final class Acceptor: Sendable {
    /// Behind which of its responses it ends a connection.
    package enum Closing: String, Encodable, Sendable {
        /// Behind every challenge, so that no handshake can succeed.
        case each
        /// Behind those that begin none.
        case first
        /// Behind those within a handshake.
        case more
        /// Behind none, but behind what is no challenge.
        case success
    }

    /// What becomes of a request that expects 100.
    package enum Expectation: String, Encodable, Sendable {
        /// A challenge is sent at once, and the body read behind it.
        case refuse
        /// 100 is never sent, and the body waited for.
        case ignore
        /// 100 is sent before everything.
        case always
    }

    /// How often connections end without a word.
    package struct Drops: Encodable, Sendable {
        /// What the dice begin with.
        package var seed = 1
        /// In place of a response, on a connection that is authenticated.
        package var before = 0.0
        /// Behind a response.
        package var after = 0.0
        /// Behind a challenge within a handshake.
        package var between = 0.0
    }

    /// What it does; each thing that is nil or false isn't done.
    package struct Options: Encodable, Sendable {
        /// The challenges, in this order; none: everybody is let in.
        package var offers: [String]
        /// Names and passwords, in the domain CORP and without one.
        package var users = Acceptor.users
        package var proxy = false
        package var realm = "acceptor"
        /// What a target begins with that is open to all.
        package var open: [String] = []
        /// What a target has in it that is challenged for whoever asks.
        package var refused: [String] = []
        /// Whether who is authenticated stays so on the connection.
        package var persists = true
        package var closes: Closing?
        /// Whether such an end isn't announced.
        package var silent = false
        /// The number of requests behind which a connection ends.
        package var closesAfter: Int?
        package var drops = Drops()
        package var expect = Expectation.refuse
        /// Whether challenges are sent before the body is read.
        package var early = false
        /// Whether a body in a leg other than the last ends the connection by a reset.
        package var resetsBodies = false
        /// Whether requests without a body are let in by anybody.
        package var takesEmpty = false
        /// The bytes of a challenge's body.
        package var challengeBody = 12
        /// Whether the response to HEAD has one, against the standard.
        package var headBody = false
        /// Whether an NTLM challenge has TargetInfo.
        package var targetInfo = true
        package var version = "HTTP/1.1"
        /// In which fields it is to be asked for a persistent connection under HTTP/1.0, any of them, in lower case.
        package var keepAliveBy = ["connection"]
        /// The Persistent-Auth of a response that ends a handshake of Negotiate.
        package var persistentAuth: String?
        /// Whether a parent says Proxy-Support.
        package var sessionBased = true
        /// Whether a channel binding is required, over TLS.
        package var bindings = false
        /// Whether the fields of requests are kept.
        package var fields = true

        enum CodingKeys: String, CodingKey {
            case offers, users, proxy, realm, open, refused, persists, closes, silent, drops, expect, early, version
            case bindings, fields
            case closesAfter = "closes_after"
            case resetsBodies = "resets_bodies"
            case takesEmpty = "takes_empty"
            case challengeBody = "challenge_body"
            case headBody = "head_body"
            case targetInfo = "target_info"
            case keepAliveBy = "keep_alive_by"
            case persistentAuth = "persistent_auth"
            case sessionBased = "session_based"
        }
    }

    /// One request that it got.
    package struct Leg: Decodable, Sendable {
        /// Counted from 0 in the order in which connections first asked.
        package let connection: Int
        /// Which request of its connection it is.
        package let index: Int
        package let method: String
        package let target: String
        /// The scheme of the value that it brought.
        package let scheme: String
        /// `first` for a token that begins a handshake which another must follow, `last` for any other value, empty without.
        package let leg: String
        /// A fingerprint of the token.
        package let token: String
        /// How many bytes of a body came.
        package let body: Int
        /// Their Adler-32.
        package let sum: UInt32
        /// 0 where the connection ended in place of a response, or right behind it.
        package let status: Int
        /// For whom it was answered.
        package let identity: String
        /// Who was authenticated on the connection before.
        package let had: String
        /// The fields, names in lower case.
        package let fields: [String: String]
    }

    private struct Settings: Encodable {
        let port: UInt16
        let log: String
        let tls: [String: String]?
        let keytab: String?
    }

    /// Who is let in, and by which password.
    package static let users = ["alice": "open sesame", "bob": "let me in"]

    package let port: UInt16
    package let process: TestProcess
    private let folder: ScratchFolder

    /// Starts it with these offers; over TLS with a `leaf`, and for Kerberos in Negotiate with a realm and its keytab.
    package init(
        _ offers: [String],
        leaf: TestAuthority.Leaf? = nil,
        realm: KerberosRealm? = nil,
        keytab: String? = nil,
        _ change: (inout Options) -> Void = { _ in }
    ) throws {
        folder = try ScratchFolder("acceptor")
        port = try FreePort.reserve()
        var options = Options(offers: offers)
        change(&options)
        let tls = leaf.map { ["certificate": $0.certificate, "key": $0.key] }
        let settings = Settings(port: port, log: folder("log"), tls: tls, keytab: keytab)
        let text = try Acceptor.merged(options, settings)
        let lines = options.users.flatMap { name, password in
            ["CORP:\(name):\(password)\n", ":\(name):\(password)\n", ":\(name)@corp.test:\(password)\n"]
        }
        var environment = realm?.environment ?? [:]
        environment["NTLM_USER_FILE"] = try folder.write(lines.joined(), to: "users")
        environment["KRB5_KTNAME"] = keytab
        process = try TestProcess(
            HTTPBin.python(),
            [Fixture.path("acceptor/acceptor.py"), text],
            environment: environment
        )
        try waitUntilAccepting(port, of: process)
    }

    private static func merged(_ options: Options, _ settings: Settings) throws -> String {
        let parts = [try JSONEncoder().encode(options), try JSONEncoder().encode(settings)]
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        return "\(texts[0].dropLast()),\(texts[1].dropFirst())"
    }

    /// Its authority by address.
    package var authority: String { "127.0.0.1:\(port)" }
    /// Its URL without a path, by address.
    package var url: String { "http://\(authority)" }

    /// The legs so far, in the order in which they were answered; waits for those whose responses are on their way.
    package var legs: [Leg] {
        for _ in 0..<500 {
            let (legs, open) = read()
            if open == 0 { return legs }
            pause(.milliseconds(10))
        }
        return read().legs
    }

    /// What begins or ends between a request's head and its line.
    private struct Mark: Decodable { let open: Int }

    private func read() -> (legs: [Leg], open: Int) {
        let decoder = JSONDecoder()
        let lines = (contents(of: folder("log")) ?? []).split(separator: UInt8(ascii: "\n")).map { Data($0) }
        let open = lines.compactMap { try? decoder.decode(Mark.self, from: $0).open }.reduce(0, +)
        return (lines.compactMap { try? decoder.decode(Leg.self, from: $0) }, open)
    }

    /// Returns the legs once there are at least `count`; each is written behind its response.
    @discardableResult
    package func wait(for count: Int, within limit: Duration = .seconds(10)) throws -> [Leg] {
        try eventually("\(count) legs; there are \(read().legs.map { "\($0.method) \($0.status)" })", within: limit) {
            read().legs.count >= count
        }
        return read().legs
    }
}

extension [Acceptor.Leg] {
    /// On how many connections they came.
    package var connections: Int { Set(map(\.connection)).count }
    /// How many handshakes ended well.
    package var handshakes: Int {
        count { $0.leg == "last" && ["NTLM", "Negotiate"].contains($0.scheme) && !$0.identity.isEmpty }
    }
    /// How many bytes of bodies came.
    package var bytes: Int { reduce(0) { $0 + $1.body } }
    /// Whether no two of them brought one token, but for those that begin handshakes, which may be alike.
    package var haveTokensOfTheirOwn: Bool {
        let tokens = filter { $0.leg == "last" && ["NTLM", "Negotiate"].contains($0.scheme) }.map(\.token)
        return Set(tokens).count == tokens.count
    }
}
