import Authentication
import Bytes
import Crypto
import Exchange
import GSS
import Support
import Synchronization
import Testing

@testable import Proxy

/// The lanes for GSSAPI, with calls of the test's own and with NTLM's real ones.
struct TokenServiceTests {
    /// Holds up calls, and says how many there are.
    private final class Gate: Sendable {
        private let isOpen = Atomic(false)
        private let inside = Atomic(0)

        var count: Int { inside.load(ordering: .acquiring) }

        func open() { isOpen.store(true, ordering: .releasing) }

        func pass() {
            inside.add(1, ordering: .acquiringAndReleasing)
            let deadline = Deadline(.seconds(20))
            while !isOpen.load(ordering: .acquiring), !deadline.hasPassed { pause(.milliseconds(1)) }
            inside.subtract(1, ordering: .acquiringAndReleasing)
        }
    }

    /// What was told, in its order.
    private final class Told: Sendable {
        private let all = Mutex<[TokenAnswer]>([])

        var answers: [TokenAnswer] { all.withLock { $0 } }

        var codes: [String] {
            answers.map { answer in
                switch answer {
                case .token(_, let isLast): isLast ? "last token" : "token"
                case .complete: "complete"
                case .failed(let failure): failure.code
                }
            }
        }

        func add(_ answer: TokenAnswer) { all.withLock { $0.append(answer) } }

        /// The next answer behind `count` others.
        func answer(after count: Int) throws -> TokenAnswer {
            try eventually("an answer") { answers.count > count }
            return answers[count]
        }
    }

    private func submit(
        _ lane: TokenLane,
        _ told: Told,
        login: LaneSchedule.Login? = nil,
        realm: String? = nil,
        _ call: @escaping @Sendable (Bool) -> TokenLane.Outcome
    ) {
        lane.submit(TokenLane.Job(login: login, realm: realm, call: call) { told.add($0.answer) })
    }

    private static let complete = TokenLane.Outcome(answer: .complete)

    @Test("C-3 a call over its deadline is told as lane.timeout, others go on, and with four of them all fail at once")
    func deadlines() throws {
        let lane = TokenLane("test", limit: .milliseconds(100))
        defer { lane.stop() }
        let gate = Gate()
        defer { gate.open() }
        let told = Told()
        for count in 1...4 {
            submit(lane, told) { _ in
                gate.pass()
                return Self.complete
            }
            try eventually("a late call") { told.codes.count == count }
            if count < 4 {
                let other = Told()
                submit(lane, other) { _ in Self.complete }
                #expect(try other.answer(after: 0).isComplete)
            }
        }
        #expect(told.codes == Array(repeating: "lane.timeout", count: 4))
        submit(lane, told) { _ in Self.complete }
        #expect(told.codes.last == "lane.busy", "it is told before submit returns")
        gate.open()
        try eventually("the calls to return") { gate.count == 0 }
        pause(.milliseconds(20))
        let after = Told()
        submit(lane, after) { _ in Self.complete }
        #expect(try after.answer(after: 0).isComplete)
        #expect(told.codes.count == 5, "what returned late is told to nobody")
    }

    @Test("C-3 calls of one login go one at a time")
    func oneAtATime() throws {
        let lane = TokenLane("test", limit: .seconds(20))
        defer { lane.stop() }
        let gate = Gate()
        let told = Told()
        for _ in 0..<3 {
            submit(lane, told, login: 1) { _ in
                gate.pass()
                return Self.complete
            }
        }
        submit(lane, told, login: 2) { _ in
            gate.pass()
            return Self.complete
        }
        try eventually("two calls") { gate.count == 2 }
        pause(.milliseconds(20))
        #expect(gate.count == 2)
        gate.open()
        try eventually("all answers") { told.answers.count == 4 }
    }

    @Test("C-3 a realm whose KDC is silent is asked once, and the others of it go without")
    func silentRealm() throws {
        let lane = TokenLane("test", limit: .seconds(5))
        defer { lane.stop() }
        let told = Told()
        let asked = Mutex<[Bool]>([])
        for count in 0..<3 {
            submit(lane, told, realm: "SILENT.TEST") { mayAsk in
                asked.withLock { $0.append(mayAsk) }
                return TokenLane.Outcome(answer: .failed(.noLogin), silentRealm: "SILENT.TEST")
            }
            _ = try told.answer(after: count)
        }
        submit(lane, told, realm: "OTHER.TEST") { mayAsk in
            asked.withLock { $0.append(mayAsk) }
            return Self.complete
        }
        _ = try told.answer(after: 3)
        #expect(asked.withLock { $0 } == [true, false, false, true])
    }

    @Test("C-3 what waits at the end is told so")
    func stop() throws {
        let lane = TokenLane("test", limit: .seconds(20))
        let gate = Gate()
        let told = Told()
        submit(lane, told, login: 1) { _ in
            gate.pass()
            return Self.complete
        }
        submit(lane, told, login: 1) { _ in Self.complete }
        try eventually("the call") { gate.count == 1 }
        try detachThread {
            pause(.milliseconds(50))
            gate.open()
        }
        lane.stop()
        #expect(gate.count == 0, "what was under way had its time")
        #expect(told.codes.contains("lane.busy"))
        submit(lane, told) { _ in Self.complete }
        #expect(told.codes.last == "lane.busy")
    }

    // MARK: Handshakes

    private static let challenge: [UInt8] = {
        let parts: [[UInt8]] = [
            Array("NTLMSSP\0".utf8), [2, 0, 0, 0], [0, 0, 0, 0, 48, 0, 0, 0], [0x01, 0x82, 0x08, 0x00],
            [1, 2, 3, 4, 5, 6, 7, 8], [UInt8](repeating: 0, count: 8), [0, 0, 0, 0, 48, 0, 0, 0],
        ]
        return parts.flatMap(\.self)
    }()

    private func password(_ username: String) -> Credential {
        Credential(name: "office", username: username, password: Secret("secret"))
    }

    /// The answer to one step.
    private func step(
        _ service: TokenService,
        _ context: TokenContext,
        _ mechanism: TokenQuestion.Mechanism,
        _ credential: Credential,
        input: [UInt8]? = nil,
        isFinal: Bool = false
    ) throws -> TokenAnswer {
        let told = Told()
        let question = TokenQuestion(
            mechanism: mechanism,
            credential: credential,
            host: "intranet.example",
            input: input,
            isFinal: isFinal
        )
        service.step(question, context: context, channelBinding: nil) { told.add($0) }
        return try told.answer(after: 0)
    }

    private func code(_ answer: TokenAnswer) -> String? {
        if case .failed(let failure) = answer { failure.code } else { nil }
    }

    @Test("C-3 NTLM's two tokens come from its lane, and nothing is left behind", .enabled(if: Mechanism.isBuilt))
    func ntlm() throws {
        let service = TokenService()
        defer { service.stop() }
        let context = TokenContext()
        let first = try step(service, context, .ntlm, password("user"))
        guard case .token(let token, isLast: false) = first else { throw TestFailure("\(first)") }
        #expect(token.withBytes { $0.count > 12 && $0[8] == 1 })
        let second = try step(service, context, .ntlm, password("user"), input: Self.challenge)
        guard case .token(let answer, isLast: true) = second else { throw TestFailure("\(second)") }
        #expect(answer.withBytes { $0.count > 64 && $0[8] == 3 })
        #expect(code(try step(service, context, .ntlm, password("user"), input: [1])) == "gssapi.no-handshake")
    }

    @Test(
        "C-2 inside Negotiate NTLM stands in for a Kerberos that has no ticket, where it may",
        .enabled(if: Mechanism.isBuilt)
    )
    func fallback() throws {
        let service = TokenService()
        defer { service.stop() }
        // No KDC is asked for a name that is none.
        let credential = password("a@b@c")
        let refused = try step(service, TokenContext(), .negotiate(kerberos: true, ntlm: false), credential)
        #expect(code(refused) == "kerberos.unknown-principal")
        let answer = try step(service, TokenContext(), .negotiate(kerberos: true, ntlm: true), credential)
        guard case .token(let token, isLast: false) = answer else { throw TestFailure("\(answer)") }
        #expect(token.withBytes { $0[0] == 0x60 }, "it is SPNEGO's")
    }

    @Test("C-2 a credential that logs in nowhere has no token, and a peer's bad token is told as the peer's")
    func noToken() throws {
        let service = TokenService()
        defer { service.stop() }
        let token = Credential(name: "t", kind: .token(Secret("x"), file: nil))
        let answer = try step(service, TokenContext(), .ntlm, token)
        #expect(code(answer) == (Mechanism.isBuilt ? "gssapi.no-login" : "gssapi.not-built"))
        let context = TokenContext()
        _ = try step(service, context, .ntlm, password("user"))
        let bad = try step(service, context, .ntlm, password("user"), input: Array("nonsense".utf8))
        #expect(code(bad) == (Mechanism.isBuilt ? "ntlm.invalid-challenge" : "gssapi.not-built"))
    }

    @Test("C-3 a handshake that is dropped half-way ends, and its lane goes on")
    func dropped() throws {
        let service = TokenService()
        for _ in 0..<20 { _ = try step(service, TokenContext(), .ntlm, password("user")) }
        service.stop()
        #expect(code(try step(service, TokenContext(), .ntlm, password("user"))) != nil)
    }
}

extension TokenAnswer {
    fileprivate var isComplete: Bool {
        if case .complete = self { true } else { false }
    }
}
