import Foundation
import Support
import Testing

/// Logins at the proxy itself, from password files that the real htpasswd made.
@Suite struct ProxyLoginTests {
    private static let challenge = #"Basic realm="countersign", charset="UTF-8""#
    private static let rules = """
        access: { require: { htpasswd: users } }

        """

    /// A password file with alice by bcrypt at this cost, and bób by SHA-512.
    private func users(cost: Int = 5, password: String = Login.password) throws -> String {
        let folder = try ScratchFolder("users")
        try htpasswd(["-c", "-bB", "-C", "\(cost)", folder("users"), Login.username, password])
        try htpasswd(["-b5", folder("users"), "bób", "pässwörd"])
        return folder.text(of: "users")
    }

    private func htpasswd(_ arguments: [String]) throws {
        let process = try TestProcess("htpasswd", arguments)
        guard try process.waitForExit() == .status(0) else { throw TestFailure("htpasswd: \(process.errors)") }
    }

    private func basic(_ name: String, _ password: String) -> String {
        "Proxy-Authorization: Basic \(Data("\(name):\(password)".utf8).base64EncodedString())"
    }

    private var alice: String { basic(Login.username, Login.password) }

    @Test("R-9 without a login, or with a wrong one, the proxy's own 407 says so, and nothing goes out")
    func refused() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let proxy = try RunningProxy(Self.rules, workers: 1, files: ["users": users()])
        let bare = try proxy.get("\(origin.url)/")
        #expect(bare.status == 407 && bare["Proxy-Authenticate"] == Self.challenge)
        #expect(bare["Proxy-Status"]?.contains(#"details="access.login:"#) == true)
        for login in [
            basic(Login.username, "wrong"), basic("mallory", Login.password), "Proxy-Authorization: Basic !",
            "Proxy-Authorization: Bearer x", "Proxy-Authorization: Basic", basic("", ""), alice + "\r\n" + alice,
        ] {
            let answer = try proxy.get("\(origin.url)/", [login])
            #expect(answer.status == 407 && answer["Proxy-Authenticate"] == Self.challenge, "\(login)")
        }
        let rejected = try proxy.get("\(origin.url)/", [basic(Login.username, "wrong")])
        #expect(rejected["Proxy-Status"]?.contains(#"details="access.login-rejected:"#) == true)
        #expect(origin.requests.isEmpty)
        let client = try proxy.connect()
        let answer = try client.exchange("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.status == 407 && answer["Proxy-Authenticate"] == Self.challenge)
        #expect(origin.connectionCount == 0)
    }

    @Test("R-9 each request of a connection is judged, and the login goes nowhere")
    func judged() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let parent = try ScriptedPeer { _ in [.response(body: "by the parent")] }
        let proxy = try RunningProxy(
            Self.rules + """
                proxies: { corp: { url: "http://127.0.0.1:\(parent.port)" } }
                routes: [ { host: a.example, via: corp } ]
                """,
            workers: 1,
            files: ["users": users()]
        )
        let client = try proxy.connect()
        func get(_ url: String, _ fields: [String]) throws -> HTTPResponse {
            try client.exchange((["GET \(url) HTTP/1.1", "Host: x"] + fields + ["", ""]).joined(separator: "\r\n"))
        }
        #expect(try get("\(origin.url)/", []).status == 407)
        for _ in 0..<3 { #expect(try get("\(origin.url)/", [alice]).text == "in") }
        #expect(try get("http://a.example/", [basic("bób", "pässwörd")]).text == "by the parent")
        #expect(try get("\(origin.url)/", []).status == 407)
        #expect((origin.requests + parent.requests).allSatisfy { $0["Proxy-Authorization"] == nil })
        let posted = try client.exchange(
            "POST \(origin.url)/ HTTP/1.1\r\nHost: x\r\n\(alice)\r\nContent-Length: 3\r\n\r\nabc"
        )
        #expect(posted.text == "in")
        #expect(origin.requests.last?.body.text == "abc")
    }

    @Test("R-9 in a tunnel the login of its CONNECT holds, and rules and access go by it")
    func tunnel() throws {
        let origin = try ScriptedPeer { request in
            request["Authorization"] == nil ? [.unauthorized(#"Basic realm="Staff""#)] : [.response(body: "in")]
        }
        let proxy = try RunningProxy(
            Self.rules + """
                credentials: { staff: { username: user, password: { file: secret } } }
                rules:
                  - { space: { host: 127.0.0.1, port: any }, use: staff, clients: ["login:bób"] }

                """,
            workers: 1,
            files: ["users": users(), "secret": "right"]
        )
        let bob = basic("bób", "pässwörd")
        #expect(try proxy.get("\(origin.url)/", [bob]).text == "in")
        #expect(try proxy.get("\(origin.url)/", [alice]).status == 401)
        let client = try proxy.connect()
        let opened = try client.exchange("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: x\r\n\(alice)\r\n\r\n")
        #expect(opened.status == 200)
        #expect(try client.exchange("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n\r\n").status == 401)
    }

    @Test("R-9 'clients' that name logins let who has another login, or none, no further than to the login")
    func clients() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let rules = "access: { require: { htpasswd: users }, clients: [\"login:bób\", 127.0.0.3] }\n"
        let proxy = try RunningProxy(rules, workers: 1, files: ["users": users()])
        func get(_ fields: [String], from source: String = "127.0.0.1") throws -> Int {
            let client = try proxy.connect(from: source)
            let lines = ["GET \(origin.url)/ HTTP/1.1", "Host: x"] + fields + ["", ""]
            return try client.exchange(lines.joined(separator: "\r\n")).status
        }
        #expect(try get([]) == 407)
        #expect(try get([basic("bób", "pässwörd")]) == 200)
        #expect(try get([alice]) == 403)
        #expect(try get([], from: "127.0.0.3") == 407)
        #expect(try get([alice], from: "127.0.0.3") == 200)
    }

    @Test("R-9 who may not come even with a login isn't asked for one")
    func foreign() throws {
        let rules = "access: { require: { htpasswd: users }, clients: [127.0.0.3] }\n"
        let proxy = try RunningProxy(rules, workers: 1, files: ["users": users()])
        #expect(try proxy.get("http://a.example/").status == 403)
        #expect(try proxy.get("http://a.example/", [alice]).status == 403)
    }

    @Test("R-9 a listener may go without")
    func listener() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let other = try FreePort.reserve()
        let proxy = try RunningProxy(
            """
            version: 1
            state: state
            listeners:
              - { address: "127.0.0.1:$PORT" }
              - { address: "127.0.0.1:\(other)", require: none }
            access: { require: { htpasswd: users } }
            """,
            workers: 1,
            files: ["users": users()]
        )
        #expect(try proxy.get("\(origin.url)/").status == 407)
        let client = try HTTPClient(port: other)
        #expect(try client.exchange("GET \(origin.url)/ HTTP/1.1\r\nHost: x\r\n\r\n").text == "in")
    }

    @Test("R-9 a changed file holds at once, for who was logged in too")
    func changed() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        let proxy = try RunningProxy(Self.rules, workers: 2, files: ["users": users()])
        #expect(try proxy.get("\(origin.url)/", [alice]).status == 200)
        try proxy.folder.write(users(password: "new"), to: "users", mode: 0o600)
        proxy.reload()
        try proxy.waitForLog("the rules were read again")
        #expect(try proxy.get("\(origin.url)/", [alice]).status == 407)
        #expect(try proxy.get("\(origin.url)/", [basic(Login.username, "new")]).status == 200)
        try proxy.folder.write("alice:$apr1$hEKy.n/0$vgjsNcdVmH/Q.J5gonT3x/\n", to: "users", mode: 0o600)
        proxy.reload()
        try proxy.waitForLog("the rules in force go on")
        try proxy.waitForLog("line 1 of the file of logins")
        #expect(!proxy.log.contains("hEKy"))
        #expect(try proxy.get("\(origin.url)/", [basic(Login.username, "new")]).status == 200)
    }

    @Test(
        "R-9 fifty wrong logins are told a second late at the earliest, and a right one of another client waits for none"
    )
    func guessing() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "in")] }
        // A comparison takes about a twentieth of a second.
        let proxy = try RunningProxy(Self.rules, workers: 2, files: ["users": users(cost: 9)])
        let right = alice
        let wrong = (0..<50).map { basic($0.isMultiple(of: 2) ? Login.username : "mallory", "guess \($0)") }
        let durations = try concurrently(52, within: .seconds(120)) { index -> Duration in
            if index >= 50 { pause(.milliseconds(500)) }
            let began = ContinuousClock.now
            let client = try proxy.connect(from: index < 50 ? "127.0.0.1" : "127.0.0.2", limit: .seconds(100))
            let login = index < 50 ? wrong[index] : right
            let answer = try client.exchange("GET \(origin.url)/ HTTP/1.1\r\nHost: x\r\n\(login)\r\n\r\n")
            #expect(answer.status == (index < 50 ? 407 : 200))
            return .now - began
        }
        #expect(durations.prefix(50).allSatisfy { $0 >= .seconds(0.99) })
        // Eight at a time, each for a second.
        #expect(durations.prefix(50).contains { $0 >= .seconds(5) })
        #expect(durations.suffix(2).allSatisfy { $0 < .seconds(0.9) }, "\(durations.suffix(2))")
    }

    @Test("R-9 real clients log in by Basic with a name beyond ASCII, for plain requests and for tunnels")
    func realClients() throws {
        let nginx = try Nginx()
        let origin = "\(nginx.url)/open/"
        let proxy = try RunningProxy(Self.rules, workers: 1, files: ["users": users()])
        let escaped = "b%C3%B3b:p%C3%A4ssw%C3%B6rd@127.0.0.1:\(proxy.port)"
        let programs: [(String, [String], [String: String])] = [
            ("curl", ["-sS", "--fail", "-x", proxy.url, "--proxy-user", "bób:pässwörd", origin], [:]),
            ("curl", ["-sS", "--fail", "-x", proxy.url, "--proxy-user", "bób:pässwörd", "-p", origin], [:]),
            ("curl", ["-sS", "--fail", "-x", proxy.url, "--proxy-anyauth", "-U", "bób:pässwörd", origin], [:]),
            ("wget", ["-qO-", "--proxy-user=bób", "--proxy-password=pässwörd", origin], ["http_proxy": proxy.url]),
            (
                try HTTPBin.python(),
                ["-c", "import requests, sys; print(requests.get(sys.argv[1]).text, end='')", origin],
                ["http_proxy": "http://\(escaped)"]
            ),
            ("node", ["-e", Self.nodeProgram, origin, "\(proxy.port)"], [:]),
        ]
        for (program, arguments, environment) in programs {
            let process = try TestProcess(program, arguments, environment: environment)
            #expect(try process.waitForExit(within: .seconds(60)) == .status(0), "\(program): \(process.errors)")
            #expect(process.output == "nginx open\n", "\(program) \(arguments)")
        }
    }

    private static let nodeProgram = """
        const http = require("http");
        const [url, port] = process.argv.slice(1);
        const login = "Basic " + Buffer.from("b\\u00f3b:p\\u00e4ssw\\u00f6rd").toString("base64");
        http.get({ host: "127.0.0.1", port, path: url, headers: { "Proxy-Authorization": login } }, (response) => {
            process.exitCode = response.statusCode === 200 ? 0 : 1;
            response.pipe(process.stdout);
        });
        """
}
