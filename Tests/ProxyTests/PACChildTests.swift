import Events
import Glibc
import Support
import Testing

@testable import Proxy

/// PAC files in the process that runs them, with the real library.
@Suite(.serialized) struct PACChildTests {
    /// What came of a question, in words.
    typealias Answer = String

    private let loop: EventLoop

    init() throws {
        ProcessSettings.ignoreBrokenPipes()
        loop = try EventLoop()
    }

    private func turn(until condition: () -> Bool) throws {
        try eventually("an answer", within: .seconds(20)) {
            loop.runOnce()
            return condition()
        }
    }

    private func program(zone: String = "UTC") throws -> [String] {
        ["env", "TZ=\(zone)", try Binary.path(), "pac-evaluator"]
    }

    private func load(_ script: String, _ program: [String]) throws -> (PACChild, PACChild.Failure?) {
        var outcome: PACChild.Failure??
        let child = try PACChild(loop, program, script: Array(script.utf8)) { outcome = .some($0) }
        try turn { outcome != nil }
        return (child, outcome ?? nil)
    }

    private func ask(_ child: PACChild, _ host: String = "www.netscape.com", path: String = "/") throws -> Answer {
        var answer: Answer?
        child.ask(url: Array("http://\(host)\(path)".utf8), host: Array(host.utf8)) { result in
            switch result {
            case .success(let text): answer = String(decoding: text, as: UTF8.self)
            case .failure(.refused): answer = "refused"
            case .failure(let failure): answer = "\(failure)"
            }
        }
        try turn { answer != nil }
        return answer ?? ""
    }

    private func evaluate(_ expressions: [String], _ program: [String], _ preamble: String = "") throws -> [String] {
        let list = expressions.joined(separator: ",\n")
        let (child, failure) = try load(
            "\(preamble)function FindProxyForURL(url, host) { return [\(list)].join(' ') }",
            program
        )
        defer { child.end() }
        #expect(failure == nil)
        return try ask(child).split(separator: " ").map(String.init)
    }

    /// The examples of Netscape's "Navigator Proxy Auto-Config File Format", with the results that it gives.
    private static let specified: [(String, String)] = [
        (#"isPlainHostName("www")"#, "true"),
        (#"isPlainHostName("www.netscape.com")"#, "false"),
        (#"dnsDomainIs("www.netscape.com", ".netscape.com")"#, "true"),
        (#"dnsDomainIs("www", ".netscape.com")"#, "false"),
        (#"dnsDomainIs("www.mcom.com", ".netscape.com")"#, "false"),
        (#"localHostOrDomainIs("www.netscape.com", "www.netscape.com")"#, "true"),
        (#"localHostOrDomainIs("www", "www.netscape.com")"#, "true"),
        (#"localHostOrDomainIs("www.mcom.com", "www.netscape.com")"#, "false"),
        (#"localHostOrDomainIs("home.netscape.com", "www.netscape.com")"#, "false"),
        (#"isResolvable("localhost")"#, "true"),
        (#"isResolvable("bogus.domain.invalid")"#, "false"),
        (#"isInNet("198.95.249.79", "198.95.249.79", "255.255.255.255")"#, "true"),
        (#"isInNet("198.95.249.78", "198.95.249.79", "255.255.255.255")"#, "false"),
        (#"isInNet("198.95.6.8", "198.95.0.0", "255.255.0.0")"#, "true"),
        (#"isInNet("198.96.6.8", "198.95.0.0", "255.255.0.0")"#, "false"),
        (#"isInNet("localhost", "127.0.0.0", "255.0.0.0")"#, "true"),
        (#"dnsResolve("localhost")"#, "127.0.0.1"),
        (#"/^\d+\.\d+\.\d+\.\d+$|:/.test(myIpAddress())"#, "true"),
        (#"dnsDomainLevels("www")"#, "0"),
        (#"dnsDomainLevels("www.netscape.com")"#, "2"),
        (#"shExpMatch("http://home.netscape.com/people/ari/index.html", "*/ari/*")"#, "true"),
        (#"shExpMatch("http://home.netscape.com/people/montulli/index.html", "*/ari/*")"#, "false"),
        (#"shExpMatch("a.example", "?.example")"#, "true"),
        (#"shExpMatch("axexample", "a.example")"#, "false"),
        (#"shExpMatch("a+b(1).example", "a+b(?)*")"#, "true"),
        (#"url + host"#, "http://www.netscape.com/www.netscape.com"),
    ]

    @Test("R-3 the functions of the original specification give what it says")
    func functions() throws {
        let found = try evaluate(Self.specified.map(\.0), program())
        for (index, (expression, expected)) in Self.specified.enumerated() where index < found.count {
            #expect(found[index] == expected, "\(expression)")
        }
        #expect(found.count == Self.specified.count)
    }

    /// Its examples of times, on Wednesday the 5th of July 1995, half past twelve in New York and so half past four in the
    /// afternoon of GMT.
    private static let times: [(String, String)] = [
        (#"weekdayRange("MON", "FRI")"#, "true"),
        (#"weekdayRange("MON", "FRI", "GMT")"#, "true"),
        (#"weekdayRange("WED")"#, "true"),
        (#"weekdayRange("SAT")"#, "false"),
        (#"weekdayRange("SAT", "GMT")"#, "false"),
        (#"weekdayRange("FRI", "MON")"#, "false"),
        (#"weekdayRange("FRI", "WED")"#, "true"),
        (#"dateRange(5)"#, "true"),
        (#"dateRange(1)"#, "false"),
        (#"dateRange(1, "GMT")"#, "false"),
        (#"dateRange(1, 15)"#, "true"),
        (#"dateRange(24, "DEC")"#, "false"),
        (#"dateRange(5, "JUL")"#, "true"),
        (#"dateRange(24, "DEC", 1995)"#, "false"),
        (#"dateRange(5, "JUL", 1995)"#, "true"),
        (#"dateRange("JAN", "MAR")"#, "false"),
        (#"dateRange("JUN", "AUG")"#, "true"),
        (#"dateRange(1, "JUN", 15, "AUG")"#, "true"),
        (#"dateRange(1, "JUN", 1995, 15, "AUG", 1995)"#, "true"),
        (#"dateRange(1, "JUN", 1994, 15, "AUG", 1994)"#, "false"),
        (#"dateRange("OCT", 1995, "MAR", 1996)"#, "false"),
        (#"dateRange("OCT", 1994, "MAR", 1996)"#, "true"),
        (#"dateRange("DEC", "JUL")"#, "true"),
        (#"dateRange("DEC", "JUN")"#, "false"),
        (#"dateRange(20, 5)"#, "true"),
        (#"dateRange(1995)"#, "true"),
        (#"dateRange(1995, 1997)"#, "true"),
        (#"dateRange(1996, 1997)"#, "false"),
        (#"timeRange(12)"#, "true"),
        (#"timeRange(13)"#, "false"),
        (#"timeRange(12, 13)"#, "true"),
        (#"timeRange(12, "GMT")"#, "false"),
        (#"timeRange(16, "GMT")"#, "true"),
        (#"timeRange(9, 17)"#, "true"),
        (#"timeRange(13, 17)"#, "false"),
        (#"timeRange(8, 30, 17, 00)"#, "true"),
        (#"timeRange(8, 30, 12, 15)"#, "false"),
        (#"timeRange(0, 0, 0, 0, 0, 30)"#, "false"),
    ]

    /// A `Date` that says that time where it is asked for the present.
    private static let clock = """
        var Real = Date;
        Date = function(y, m, d, h, i, s) {
            if (arguments.length == 0) return new Real(804961800000);
            if (arguments.length == 1) return new Real(y);
            return new Real(y, m, d || 1, h || 0, i || 0, s || 0);
        };

        """

    @Test("R-3 the functions of days and times go by the zone of the proxy's environment, or by GMT")
    func rangesOfTime() throws {
        let found = try evaluate(
            Self.times.map(\.0),
            program(zone: "America/New_York"),
            Self.clock
        )
        for (index, (expression, expected)) in Self.times.enumerated() where index < found.count {
            #expect(found[index] == expected, "\(expression)")
        }
        #expect(found.count == Self.times.count)
    }

    @Test("C-3 a call that loops for ever is killed at its deadline, and its process with it")
    func looping() throws {
        let (child, failure) = try load("function FindProxyForURL(url, host) { while (true) {} }", program())
        #expect(failure == nil)
        let began = ContinuousClock.now
        #expect(try ask(child) == "late")
        #expect((.seconds(1.9) ... .seconds(4)).contains(.now - began))
        #expect(child.hasEnded)
    }

    @Test("R-3 a script that loops, can't be read, or has a mistake is told")
    func mistakes() throws {
        #expect(try load("while (true) {}", program()).1 == .late)
        for script in ["function FindProxyForURL(url, host) { return ", "throw 'no'", "x.y.z()", "var x = 1", ""] {
            guard case .refused(let words)? = try load(script, program()).1 else {
                Issue.record("\(script) was taken")
                continue
            }
            #expect(!words.contains("\n"))
        }
    }

    @Test("R-3 a call that throws refuses one question and not the next")
    func throwing() throws {
        let script = "function FindProxyForURL(url, host) { if (host == 'a') throw 'no'; return host }"
        let (child, _) = try load(script, program())
        defer { child.end() }
        #expect(try ask(child, "a") == "refused")
        #expect(try ask(child, "b") == "b")
    }

    @Test("S-2 a script that takes all memory, and one that returns without end, end nobody but themselves")
    func greedy() throws {
        let greedy = "function FindProxyForURL(u, h) { var s = 'x'; while (true) s += s }"
        let (child, _) = try load(greedy, program())
        defer { child.end() }
        #expect(["refused", "late", "ended"].contains(try ask(child)))
        let deep = "function FindProxyForURL(u, h) { return FindProxyForURL(u, h) }"
        let (other, _) = try load(deep, program())
        defer { other.end() }
        #expect(["refused", "late", "ended"].contains(try ask(other)))
        let long = "function FindProxyForURL(u, h) { var s = 'x'; while (s.length < 200000) s += s; return s }"
        let (third, _) = try load(long, program())
        defer { third.end() }
        #expect(try ask(third).count == 64 << 10)
    }

    @Test("C-3 a process that grew ends behind its answer, and one that didn't stays")
    func grown() throws {
        let script = """
            function FindProxyForURL(u, h) { var s = 'x'; while (h == 'big' && s.length < 1e8) s += s; keep = s; return h }
            """
        let (child, _) = try load(script, program())
        defer { child.end() }
        for _ in 0..<3 { #expect(try ask(child, "small") == "small") }
        #expect(try ask(child, "big") != "late")
        try turn { child.hasEnded }
    }

    @Test("C-3 its process has no descriptor of ours, no variable, and no right to more")
    func confined() throws {
        let (child, _) = try load("function FindProxyForURL(u, h) { return 'DIRECT' }", program())
        defer { child.end() }
        let process = try #require(children(named: "pac-evaluator").first)
        #expect(names(in: "/proc/\(process)/fd").sorted() == ["0", "1", "2"])
        let status = String(decoding: contents(of: "/proc/\(process)/status") ?? [], as: UTF8.self)
        #expect(status.contains("NoNewPrivs:\t1"))
        let limits = String(decoding: contents(of: "/proc/\(process)/limits") ?? [], as: UTF8.self)
        #expect(limits.split(separator: "\n").contains { $0.hasPrefix("Max core file size        0 ") })
        let environment = contents(of: "/proc/\(process)/environ") ?? []
        #expect(!String(decoding: environment, as: UTF8.self).contains("HOME="))
    }

    /// The processes of this test whose command line ends with that word.
    private func children(named word: String) -> [String] {
        names(in: "/proc").filter { name in
            guard Int(name) != nil else { return false }
            let line = String(decoding: contents(of: "/proc/\(name)/cmdline") ?? [], as: UTF8.self)
            let status = String(decoding: contents(of: "/proc/\(name)/status") ?? [], as: UTF8.self)
            return line.hasSuffix("\(word)\0") && status.contains("PPid:\t\(getpid())\n")
        }
    }
}
