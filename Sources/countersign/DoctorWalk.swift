internal import Bytes
internal import Configuration
internal import Events
internal import HTTP
internal import Proxy
internal import Rules

/// One walk of `doctor` to a URL: the same rules, ways and time limits as an exchange's, and no secret.
final class DoctorWalk {
    let request: DoctorRequest
    let configuration: ServerConfiguration
    let inquiry: RouteInquiry
    /// What the rules say, as `explain` tells it.
    let explanation: Explanation
    /// What is dialled: after `upgrade`.
    var dialled: Origin { explanation.dialled }
    private let out: (DoctorStep) -> Void
    private var count = 0
    /// The names of the steps that would fail.
    private(set) var failures: [String] = []
    private var warnings = 0

    /// A walk whose steps `out` is told, each once it is done.
    init(_ request: DoctorRequest, _ configuration: ServerConfiguration, out: @escaping (DoctorStep) -> Void) {
        self.request = request
        self.configuration = configuration
        self.out = out
        inquiry = RouteInquiry(configuration, limit: request.limit)
        explanation = Explanation(
            Explanation.Question(origin: request.origin, path: request.path, now: SystemFiles.now),
            in: configuration
        )
    }

    /// Hands a step out.
    func tell(_ step: DoctorStep) {
        count += 1
        if step.verdict == .fail { failures.append(step.name) }
        if step.verdict == .warn { warnings += 1 }
        out(step)
    }

    /// The last line.
    var summary: String {
        guard failures.isEmpty else { return "this would fail: \(failures.joined(separator: ", "))" }
        return warnings == 0 ? "\(count) steps, all well" : "\(count) steps, \(warnings) to look at"
    }

    /// Goes the ways in their order, up to the first that leads somewhere.
    func run() {
        guard let hops = route() else { return }
        for (number, hop) in hops.enumerated() {
            if walk(by: hop, isLast: number == hops.count - 1) { return }
        }
    }

    /// The ways; nil where the destination is refused.
    private func route() -> [NextHop]? {
        var step = DoctorStep(name: "route")
        let lines = explanation.lines
        for line in lines where ["listener", "access", "route", "names", "opened"].contains(line.topic) {
            step.lines.append("\(line.topic): \(line.text)")
        }
        if let refusal = lines.first(where: { $0.topic == "access" && $0.text.hasPrefix("refused") }) {
            step.verdict = .fail
            step.cure = "name it under access.destinations.allow, or its port under access.ports; \(refusal.text)"
            tell(step)
            return nil
        }
        var hops = explanation.route.hops(to: request.origin)
        if case .pac(let pac, _) = explanation.route.choice {
            switch inquiry.hops(by: pac, to: request.origin, path: request.path) {
            case .success(let answer):
                hops = answer.hops
                step.lines.append("the PAC file says: \(answer.said)")
                if hops.isEmpty {
                    step.lower(to: .fail, "no way that it names can be gone", cure: "correct the PAC file")
                }
            case .failure(let failure):
                let cure = "see that it is there and defines FindProxyForURL"
                step.lower(to: .warn, "\(failure.code): \(failure.message); 'via' holds instead", cure: cure)
            }
        }
        tell(step)
        return hops
    }

    /// Goes one way; false where it leads nowhere, and the next is tried.
    private func walk(by hop: NextHop, isLast: Bool) -> Bool {
        switch open(hop, isLast: isLast) {
        case .nowhere: return false
        case .ended: return true
        case .toParent(let way, let parent): askParent(way, parent)
        case .toOrigin(let way): askOrigin(way)
        }
        return true
    }

    /// Where a way leads.
    enum Leading {
        /// Not even to its first server.
        case nowhere
        /// To something that ends it, which was told.
        case ended
        /// To a parent that is asked for the resource itself.
        case toParent(ProbeConnection, ParentProxy)
        /// To the origin, directly or through tunnels.
        case toOrigin(ProbeConnection)
    }

    /// Opens a way as far as that goes without a secret.
    func open(_ hop: NextHop, isLast: Bool) -> Leading {
        var chain: [ParentProxy] = []
        if case .parent(let parent) = hop {
            chain = Array(sequence(first: parent, next: \.via)).reversed()
        }
        let target = explanation.route.to
        let first =
            chain.first?.origin
            ?? Origin(
                scheme: dialled.scheme,
                host: dialled.host,
                port: target?.port ?? dialled.port
            )
        let address = chain.isEmpty ? target?.address : nil
        guard let way = connect(to: first, at: address, isOrigin: chain.isEmpty, isLast: isLast) else {
            return .nowhere
        }
        for (place, parent) in chain.enumerated() {
            if parent.origin.scheme == .https, !secure(way, parent.origin, name: "parent \(parent.name): ") {
                return .ended
            }
            let isLastParent = place == chain.count - 1
            if isLastParent, parent.kind == .http, dialled.scheme == .http { return .toParent(way, parent) }
            let next = isLastParent ? dialled : chain[place + 1].origin
            guard tunnel(way, parent, to: next) else { return .ended }
        }
        if dialled.scheme == .https, !secure(way, dialled, name: "") { return .ended }
        return .toOrigin(way)
    }
}
