import Support
import Testing

/// Many reloads under many requests.
@Suite struct ReloadUnderLoadTests {
    private static let head = "version: 1\nstate: state\nlisteners: [{ address: \"127.0.0.1:$PORT\" }]\n"
    private static let changeCount = 50
    private static let clientCount = 4
    /// Of one client: 200 requests a second in all.
    private static let interval = Duration.milliseconds(20)

    /// Rules whose key names the parent that its requests have to come by: an even one the first, an odd one the second.
    private static func rules(_ number: Int, _ parents: [ScriptedPeer]) -> String {
        head + """
            credentials: { key: { header: { X-Key: { value: "\(number)" } } } }
            rules: [{ space: { host: origin.test }, use: key, cleartext: [header] }]
            proxies: { upper: { url: "http://127.0.0.1:\(parents[number % 2].port)" } }
            routes: [{ host: "*", via: upper }]

            """
    }

    private static func faulty(_ number: Int, _ parents: [ScriptedPeer]) -> String {
        let rules = rules(number, parents)
        switch number % 3 {
        case 0: return rules.replacing("use: key", with: "use: kye")
        case 1: return String(rules.prefix(rules.count / 2)) + "{"
        default: return rules + "credentials: { key: { token: { file: missing } } }\n"
        }
    }

    /// What arrived at the parents: each key, and whether one came by the wrong way.
    private struct Arrivals {
        var keys: Set<Int> = []
        var mixed: [String] = []
    }

    @Test("O-1 while the rules change 50 times no request of 200 a second fails, and none runs under mixed rules")
    func reloads() throws {
        let arrivals = Locked(Arrivals())
        let parents = try (0..<2).map { place in
            try ScriptedPeer { request in
                let key = request["X-Key"].flatMap { Int($0) } ?? -1
                arrivals.withLock {
                    $0.keys.insert(key)
                    if key < 0 || key % 2 != place { $0.mixed.append("\(request["X-Key"] ?? "none") at \(place)") }
                }
                return [.response(body: "\(key)")]
            }
        }
        let proxy = try RunningProxy(Self.rules(0, parents), workers: 2)
        let done = Gate()
        let counts = try concurrently(Self.clientCount + 1, within: .seconds(240)) { index in
            guard index == Self.clientCount else { return try Self.load(proxy, until: done) }
            defer { done.opens() }
            try Self.change(proxy, parents, arrivals)
            return 0
        }
        #expect(arrivals.withLock { $0.mixed } == [])
        #expect(counts.reduce(0, +) > 20 * Self.changeCount)
    }

    /// Sends requests until `done`; gives their number.
    private static func load(_ proxy: RunningProxy, until done: Gate) throws -> Int {
        var client = try proxy.connect()
        var count = 0
        let start = ContinuousClock.now
        while !done.isOpen {
            // Some come anew, most on the connection of those before.
            if count % 10 == 9 { client = try proxy.connect() }
            let response = try client.exchange(request("GET http://origin.test/ HTTP/1.1", ["Host: h"]))
            guard response.status == 200 else {
                throw TestFailure(
                    "request \(count) got \(response.status): \(response.text)\n\(proxy.log.suffix(2000))"
                )
            }
            count += 1
            let wait = start + interval * count - .now
            if wait > .zero { pause(wait) }
        }
        return count
    }

    /// Each fourth change has an error; half of them are told by SIGHUP, the others are noticed.
    private static func change(
        _ proxy: RunningProxy,
        _ parents: [ScriptedPeer],
        _ arrivals: Locked<Arrivals>
    ) throws {
        var faults = 0
        for number in 1...changeCount {
            let isFaulty = number % 4 == 0
            try proxy.rewrite(isFaulty ? faulty(number, parents) : rules(number, parents))
            if number % 2 == 0 { proxy.reload() }
            guard isFaulty else {
                try eventually("rules \(number) to be in force", within: .seconds(30)) {
                    arrivals.withLock { $0.keys.contains(number) }
                }
                continue
            }
            faults += 1
            try eventually("the fault of rules \(number) to be told", within: .seconds(30)) {
                proxy.log.split(separator: "the rules in force go on").count > faults
            }
        }
        let wrong = arrivals.withLock { $0.keys.filter { $0 > 0 && $0 % 4 == 0 } }
        guard wrong.isEmpty else { throw TestFailure("faulty rules were in force: \(wrong)") }
    }
}
