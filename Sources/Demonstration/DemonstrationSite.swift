internal import Bytes
internal import Crypto
internal import HTTP

/// What the demo's servers have to show, and whom they show it to.
final class DemonstrationSite {
    /// Which of the two servers is asked.
    enum Role { case origin, parent }

    private enum Demand {
        case basic
        case digest(DigestAlgorithm)
    }

    private let visitor = DemonstrationUser(name: "demo", password: "demo-password")
    private let customer = DemonstrationUser(name: "demo-parent", password: "demo-parent-password")
    private let verification = DigestVerification()

    func respond(to head: borrowing RequestHead, as role: Role) -> DemonstrationResponse {
        role == .origin ? page(for: head) : relayedPage(for: head)
    }

    private func page(for head: borrowing RequestHead) -> DemonstrationResponse {
        guard head.method == .get || head.method == .head else {
            return DemonstrationResponse(
                status: 405,
                fields: [("Allow", "GET, HEAD")],
                text: "This page is only read.\n"
            )
        }
        let path = String(decoding: [UInt8](head.bytes(head.target.pathOnly)), as: UTF8.self)
        let demands: [Demand]
        switch path {
        case "/open": demands = []
        case "/basic": demands = [.basic]
        case "/digest": demands = [.digest(.md5)]
        case "/digest-sha256": demands = [.digest(.sha256)]
        case "/both": demands = [.digest(.sha256), .basic]
        default: return DemonstrationResponse(status: 404, text: "There is nothing here.\n")
        }
        return answer(to: head, demands, of: visitor, space: path, isProxy: false)
    }

    /// The parent answers what it is asked to fetch by itself: a demo needs no network.
    private func relayedPage(for head: borrowing RequestHead) -> DemonstrationResponse {
        let response = answer(to: head, [.digest(.md5)], of: customer, space: "parent", isProxy: true)
        if response.status == 200 && head.target.form != .absolute {
            return DemonstrationResponse(status: 405, text: "This parent proxy only shows its own page.\n")
        }
        return response
    }

    private func answer(
        to head: borrowing RequestHead,
        _ demands: [Demand],
        of user: DemonstrationUser,
        space: String,
        isProxy: Bool
    ) -> DemonstrationResponse {
        let realm = "demo \(space)"
        let credentials = head.fields.first(isProxy ? .proxyAuthorization : .authorization).map {
            [UInt8](head.fields.value($0))
        }
        if demands.isEmpty { return welcome(space, by: credentials == nil ? "nothing" : "what nobody asked for") }
        var isStale = false
        if let credentials {
            for demand in demands {
                switch verdict(on: credentials, head, demand, user, realm: realm) {
                case .right: return welcome(space, by: Self.name(of: demand))
                case .stale: isStale = true
                case .wrong: break
                }
            }
        }
        let name = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
        let fields = demands.map { demand in
            (name: name, value: challenge(demand, realm: realm, space: isProxy ? nil : space, isStale: isStale))
        }
        return DemonstrationResponse(status: isProxy ? 407 : 401, fields: fields, text: "Who are you?\n")
    }

    private func welcome(_ space: String, by answer: String) -> DemonstrationResponse {
        DemonstrationResponse(
            status: 200,
            fields: [(DemonstrationResponse.answeredField, answer)],
            text: "This is \(space), and you answered with \(answer).\n"
        )
    }

    private func verdict(
        on credentials: [UInt8],
        _ head: borrowing RequestHead,
        _ demand: Demand,
        _ user: DemonstrationUser,
        realm: String
    ) -> DigestVerification.Verdict {
        switch demand {
        case .basic: return user.isBasic(credentials) ? .right : .wrong
        case .digest(let algorithm):
            let request = DigestVerification.Request(
                method: [UInt8](head.methodBytes),
                target: [UInt8](head.targetBytes),
                realm: realm,
                algorithm: algorithm
            )
            return verification.verdict(on: credentials, request, user)
        }
    }

    private func challenge(_ demand: Demand, realm: String, space: String?, isStale: Bool) -> String {
        switch demand {
        case .basic: return "Basic realm=\"\(realm)\", charset=\"UTF-8\""
        case .digest(let algorithm):
            var value = "Digest realm=\"\(realm)\", qop=\"auth\", algorithm=\(algorithm == .md5 ? "MD5" : "SHA-256")"
            value += ", nonce=\"\(verification.makeNonce())\""
            if let space { value += ", domain=\"\(space)\"" }
            return isStale ? value + ", stale=true" : value
        }
    }

    private static func name(of demand: Demand) -> String {
        switch demand {
        case .basic: "Basic"
        case .digest(.md5): "Digest MD5"
        case .digest: "Digest SHA-256"
        }
    }
}
