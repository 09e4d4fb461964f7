internal import Authentication
internal import Bytes
internal import Configuration
internal import HTTP
internal import Proxy
internal import Rules

extension DoctorWalk {
    /// A challenged server, and the way on which it can be asked again.
    struct Challenged {
        let isProxy: Bool
        /// As the ledger has it.
        let server: String
        /// The host that a service ticket would be for.
        let host: String
        let challenges: [AuthenticationChallenge]
        /// The head that was answered so, without its end.
        let head: [UInt8]
        let method: HTTPMethod
        /// How the name of each of its steps begins.
        let prefix: String
    }

    /// Asks the origin for the resource, and tells what it says to that without a credential.
    func askOrigin(_ way: ProbeConnection) {
        var step = DoctorStep(name: "challenge")
        let head = requestHead("GET \(String(decoding: request.path, as: UTF8.self))")
        guard let response = ask(way, head, .get, &step) else { return tell(step) }
        guard response.status == 401, !response.challenges.isEmpty else {
            return tellUnasked(response, &step)
        }
        tellOffers(response.challenges, &step)
        guard !explanation.isTunnelled else {
            step.lower(
                to: .warn,
                "a client's CONNECT is passed on untouched: no rule answers inside it",
                cure: "name \(dialled.host) under interception.hosts, or give the client a listener of `mode: fixed`"
            )
            return tell(step)
        }
        judgeOrigin(response, head, &step, on: way)
    }

    /// Asks a parent for an http resource.
    func askParent(_ way: ProbeConnection, _ parent: ParentProxy) {
        let path = String(decoding: request.path, as: UTF8.self)
        let head = requestHead("GET http://\(request.origin.authority)\(path)")
        var step = DoctorStep(name: "parent \(parent.name): challenge")
        guard let response = ask(way, head, .get, &step) else { return tell(step) }
        if response.status == 407 { return judge(parent, response, head, .get, &step, on: way) }
        step.lines.append("the parent asks for no login")
        tell(step)
        var answer = DoctorStep(name: "challenge")
        answer.lines.append("status \(response.status), through \(parent.name)")
        guard response.status == 401, !response.challenges.isEmpty else { return tellUnasked(response, &answer) }
        tellOffers(response.challenges, &answer)
        judgeOrigin(response, head, &answer, on: way)
    }

    private func tellUnasked(_ response: ProbeResponse, _ step: inout DoctorStep) {
        step.lines.append(response.status == 401 ? "a 401 without a challenge" : "it asks for no login")
        if response.status >= 400 { step.verdict = .warn }
        tell(step)
    }

    private func judgeOrigin(
        _ response: ProbeResponse,
        _ head: [UInt8],
        _ step: inout DoctorStep,
        on way: ProbeConnection
    ) {
        var question = explanation.question
        question.challenges = response.challenges
        guard let side = Explanation(question, in: configuration).origin else { return tell(step) }
        let challenged = Challenged(
            isProxy: false,
            server: "origin \(dialled.scheme.text)://\(dialled.authorityWithPort)",
            host: dialled.host,
            challenges: response.challenges,
            head: head,
            method: .get,
            prefix: ""
        )
        judge(side, challenged, &step, on: way, isPersistent: response.isPersistent)
    }

    /// Asks a parent for a tunnel; false where there is none without a login.
    func tunnel(_ way: ProbeConnection, _ parent: ParentProxy, to server: Origin) -> Bool {
        if parent.kind == .socks5 { return tunnelBySOCKS(way, parent, to: server) }
        let name = server.authorityWithPort
        let head = requestHead("CONNECT \(name)", host: name)
        var step = DoctorStep(name: "parent \(parent.name): challenge")
        guard let response = ask(way, head, .connect, &step) else {
            tell(step)
            return false
        }
        switch response.status {
        case 200..<300:
            step.lines.append("a tunnel to \(name), without a login")
            tell(step)
            return true
        case 407:
            judge(parent, response, head, .connect, &step, on: way)
        default:
            step.lower(
                to: .fail,
                "it opens no tunnel to \(name)",
                cure: "ask the parent's administrator, or go another way"
            )
            tell(step)
        }
        return false
    }

    private func tunnelBySOCKS(_ way: ProbeConnection, _ parent: ParentProxy, to server: Origin) -> Bool {
        var step = DoctorStep(name: "parent \(parent.name): socks5")
        defer { tell(step) }
        do throws(ProbeConnection.Failure) {
            if try way.askSOCKS(host: server.host, port: server.port) {
                step.lines.append("connected to \(server.authorityWithPort), without a login")
                return true
            }
            if let credential = parent.credentials.first {
                step.lines.append("it wants a login: '\(credential.name)'; what lies behind isn't looked at")
            } else {
                step.lower(to: .fail, "it wants a login", cure: "give the parent a credential under 'use'")
            }
        } catch {
            step.lower(to: .fail, "\(error.code): \(error.message)", cure: "see what listens there")
        }
        return false
    }

    private func judge(
        _ parent: ParentProxy,
        _ response: ProbeResponse,
        _ head: [UInt8],
        _ method: HTTPMethod,
        _ step: inout DoctorStep,
        on way: ProbeConnection
    ) {
        tellOffers(response.proxyChallenges, &step)
        var question = explanation.question
        question.proxyChallenges = response.proxyChallenges
        let side = Explanation.Side(
            of: parent,
            question.client,
            question,
            configuration.rules,
            isTunnel: method == .connect
        )
        let challenged = Challenged(
            isProxy: true,
            server: "proxy \(parent.origin.scheme.text)://\(parent.origin.authorityWithPort)",
            host: parent.origin.host,
            challenges: response.proxyChallenges,
            head: head,
            method: method,
            prefix: "parent \(parent.name): "
        )
        judge(side, challenged, &step, on: way, isPersistent: response.isPersistent)
    }

    // MARK: The parts

    func requestHead(_ line: String, host: String? = nil) -> [UInt8] {
        let host = host ?? (dialled == request.origin ? request.origin : dialled).authority
        return Array("\(line) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: countersign-doctor\r\nAccept: */*\r\n".utf8)
    }

    /// Sends a request without a credential.
    func ask(
        _ way: ProbeConnection,
        _ head: [UInt8],
        _ method: HTTPMethod,
        _ step: inout DoctorStep
    ) -> ProbeResponse? {
        let watch = Stopwatch()
        do throws(ProbeConnection.Failure) {
            let response = try way.exchange(head + [0x0d, 0x0a], method: method)
            step.lines.append("status \(response.status), \(watch.text)")
            if let date = response.date { tellSkew(date - now, "the Date field", &step) }
            return response
        } catch {
            step.lower(
                to: .fail,
                "\(error.code): \(error.message)",
                cure: "see what listens there, and whether it speaks HTTP"
            )
            return nil
        }
    }

    /// What Kerberos and NTLM bear.
    private static let longestSkew: Int64 = 300

    func tellSkew(_ skew: Int64, _ source: String, _ step: inout DoctorStep) {
        let words =
            skew == 0 ? "no clock skew" : "a clock skew of \(abs(skew)) s, it is \(skew > 0 ? "ahead" : "behind")"
        if abs(skew) > Self.longestSkew {
            step.lower(to: .warn, "\(words), by \(source)", cure: "set both clocks by NTP: Kerberos bears five minutes")
        } else {
            step.lines.append("\(words), by \(source)")
        }
    }

    private func tellOffers(_ challenges: [AuthenticationChallenge], _ step: inout DoctorStep) {
        for challenge in challenges {
            var parts = [String(decoding: challenge.schemeName, as: UTF8.self)]
            if let token = challenge.token68 { parts.append(Self.short(token)) }
            let parameters = challenge.parameters.map { parameter in
                "\(String(decoding: parameter.name, as: UTF8.self))=\"\(Self.short(parameter.value))\""
            }
            if !parameters.isEmpty { parts.append(parameters.joined(separator: ", ")) }
            step.lines.append("offers \(parts.joined(separator: " "))")
        }
    }

    private static func short(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(60), as: UTF8.self) + (bytes.count > 60 ? "…" : "")
    }
}
