import Glibc
import Support
import Testing

/// Whether a secret shows in anything that people, programs or files are told, though servers say it back in all they say.
@Suite struct CanaryTests {
    private static let secretNames = [
        "file", "env", "systemd", "exec", "value", "netrc", "helper", "kerberos", "client", "badclient", "token",
        "access",
        "header", "dummy", "passphrase", "parent", "pac", "userinfo", "own",
    ]

    /// The credentials that the server asks for by each method.
    private static let spaces: [(credential: String, method: String)] =
        ["file", "env", "systemd", "exec", "value", "netrc", "helper", "dummy"].map { ($0, "basic") }
        + ["file", "exec", "netrc", "helper"].map { ($0, "digest") }
        + [("value", "ntlm"), ("kerberos", "negotiate"), ("header", "none")]
        + ["client", "badclient", "token"].map { ($0, "bearer") }

    /// What the server does with a request that brings its credential.
    private static let manners = [
        "taken", "redirect", "malformed", "garbage", "status", "told", "rejected", "taken",
    ]

    // MARK: the server

    /// Says all that it was told in all that it says.
    private static func answer(_ request: ScriptedPeer.Request, _ secrets: CanarySecrets) -> [ScriptedPeer.Step] {
        let isParent = request.method == "CONNECT" || request.target.contains("parent")
        let fields = request.head.fields.map { "\($0.name)= \($0.value)" }
        let said = ([request.head.startLine] + fields + [request.body.text]).joined(separator: " | ")
            .replacing("\"", with: "'").replacing("\\", with: "/")
        let token = "{\"access_token\":\"\(secrets["access"])\",\"token_type\":\"Bearer\",\"x\":\"\(said)\"}"
        if request.target.hasPrefix("/token") {
            return [response(200, said, ["Content-Type: application/json"], token)]
        }
        if request.target.hasPrefix("/refused") {
            let error = "{\"error\":\"\(said)\",\"error_description\":\"\(said)\"}"
            return [response(400, said, ["Content-Type: application/json"], error)]
        }
        let value = request[isParent ? "Proxy-Authorization" : "Authorization"]
        let challenges = challenges(request.target, value == nil ? "R" : said, isParent)
        guard value != nil || request.target.contains("none") else {
            return [response(isParent ? 407 : 401, "who", challenges, "")]
        }
        return answer(said, value ?? "", to: request.target, isParent ? 407 : 401, challenges)
    }

    private static func answer(
        _ said: String,
        _ value: String,
        to target: String,
        _ refusal: Int,
        _ challenges: [String]
    ) -> [ScriptedPeer.Step] {
        let manner = manners.first { target.contains($0) } ?? "taken"
        switch manner {
        case "rejected": return [response(refusal, said, challenges, said)]
        case "redirect":
            let place = "Location: http://127.0.0.1/\(said.replacing(" ", with: "+"))"
            return [response(302, said, [place, "Set-Cookie: a=\(said)"], said)]
        case "malformed": return [.send("HTTP/1.1 200 OK\r\n\(said) : x\r\n\r\n"), .close]
        case "garbage": return [.send("\(said)\r\n\r\n"), .close]
        case "status": return [.send("HTTP/1.1 \(value) \(value)\r\n\r\n"), .close]
        case "told":
            return [response(502, said, ["Proxy-Status: up; error=http_protocol_error; details=\"\(said)\""], said)]
        default:
            return [response(200, said, ["Authentication-Info: rspauth=\"\(said)\", nextnonce=\"\(said)\""], said)]
        }
    }

    private static func challenges(_ target: String, _ realm: String, _ isParent: Bool) -> [String] {
        let values =
            if target.contains("digest") {
                ["Digest realm=\"\(realm)\", nonce=\"n\", qop=\"auth\", opaque=\"\(realm)\""]
            } else if target.contains("bearer") {
                ["Bearer realm=\"\(realm)\", error=\"invalid_token\", error_description=\"\(realm)\""]
            } else if target.contains("ntlm") {
                ["NTLM"]
            } else if target.contains("negotiate") {
                ["Negotiate"]
            } else {
                ["Basic realm=\"\(realm)\""]
            }
        return values.map { "\(isParent ? "Proxy" : "WWW")-Authenticate: \($0)" }
    }

    private static func response(
        _ status: Int,
        _ reason: String,
        _ fields: [String],
        _ body: String
    ) -> ScriptedPeer.Step {
        let lines =
            ["HTTP/1.1 \(status) \(reason)"] + fields + ["X-Echo: \(body)", "Content-Length: \(body.utf8.count)"]
        return .send((lines + ["", body]).joined(separator: "\r\n"))
    }

    // MARK: the proxy

    private struct Stage {
        let secrets: CanarySecrets
        let origin: ScriptedPeer
        let folder: ScratchFolder
        let admin: UInt16
        let environment: [String: String]

        init() throws {
            let secrets = CanarySecrets(secretNames)
            self.secrets = secrets
            origin = try ScriptedPeer { answer($0, secrets) }
            folder = try ScratchFolder("canary")
            admin = try FreePort.reserve()
            environment = [
                "CANARY": secrets["env"], "CREDENTIALS_DIRECTORY": folder("systemd"),
                "http_proxy": "http://alice:\(secrets.plain("parent"))@127.0.0.1:\(origin.port)",
            ]
            try folder.folder("systemd")
            unsafe chmod(folder("systemd"), 0o700)
            try folder.write(secrets["systemd"], to: "systemd/canary", mode: 0o600)
            for name in ["file", "exec", "kerberos", "client", "badclient", "token", "header", "dummy", "helper"] {
                try folder.write(secrets[name], to: name, mode: 0o600)
            }
            let entry = "machine 127.0.0.1 login alice password \(secrets["netrc"])\n"
            try folder.write(entry, to: "netrc", mode: 0o600)
            let address = "127.0.0.1:\(origin.port)"
            let ways = "PROXY alice:\(secrets.plain("pac"))@\(address); PROXY \(address)"
            try folder.write("function FindProxyForURL(url, host) { return '\(ways)'; }\n", to: "proxy.pac")
            try makeKey()
        }

        private func makeKey() throws {
            let passphrase = secrets.plain("passphrase")
            try folder.write(passphrase, to: "passphrase", mode: 0o600)
            let request = try TestProcess(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", folder("me.key"),
                    "-out", folder("me.pem"), "-days", "2", "-subj", "/CN=me", "-passout",
                    "file:\(folder("passphrase"))",
                ]
            )
            guard try request.waitForExit() == .status(0) else { throw TestFailure(request.errors) }
            unsafe chmod(folder("me.key"), 0o600)
        }

        private var credentials: String {
            func login(_ password: String) -> String { "{ username: alice, password: \(password) }" }
            func client(_ path: String, _ name: String) -> String {
                "{ oauth2: { token_endpoint: \"\(origin.url)/\(path)\", client_id: me, auth: post, "
                    + "client_secret: { file: \(name) } } }"
            }
            return """
                  file: \(login("{ file: file }"))
                  env: \(login("{ env: CANARY }"))
                  systemd: \(login("{ systemd: canary }"))
                  exec: \(login("{ exec: [cat, \(folder("exec"))] }"))
                  value: \(login("{ value: \"\(secrets["value"])\" }"))
                  dummy: \(login("{ file: dummy }"))
                  netrc: { netrc: netrc }
                  helper: { helper: [sh, -c, "echo username=alice; echo password=$(cat \(folder("helper")))"] }
                  kerberos: { kerberos: { principal: alice@CANARY.TEST, password: { file: kerberos } } }
                  client: \(client("token", "client"))
                  badclient: \(client("refused", "badclient"))
                  token: { token: { file: token } }
                  header: { header: { X-Key: { file: header, prefix: "Key " } } }
                  machine: { certificate: me.pem, private_key: { file: me.key }, passphrase: { file: passphrase } }

                """
        }

        func rules(_ log: String) -> String {
            let rules = spaces.map { credential, method in
                let more = credential == "dummy" ? ", placeholder: DUMMY" : ""
                return
                    "  - { space: { host: 127.0.0.1, port: any, path: /\(method)/\(credential)/ }, use: \(credential)\(more) }\n"
            }
            return "version: 1\nstate: state\nlisteners: [{ address: \"127.0.0.1:$PORT\" }]\n"
                + "log: \(log)\nadmin: { address: \"127.0.0.1:\(admin)\" }\nhttp: { userinfo: true }\ncredentials:\n\(credentials)rules:\n\(rules.joined())"
                    + """
                      - { space: { host: 127.0.0.1, port: any, protocol: https }, use: machine }
                    routes:
                      - { host: env.test, environment: true }
                      - { host: pac.test, pac: { file: proxy.pac } }

                    """
        }
    }

    // MARK: the test

    @Test(
        "S-5 no secret shows in log, response, command, page, metric or state, though every server says it back",
        arguments: [
            "{ format: text, level: debug }", "{ format: json, level: debug }", "{ format: text, level: error }",
        ]
    )
    func shown(_ log: String) throws {
        let stage = try Stage()
        let proxy = try RunningProxy(
            stage.rules(log),
            workers: 2,
            folder: stage.folder,
            environment: stage.environment
        )
        try ask(proxy, stage)
        try command(proxy, stage)
        try look(stage)
        try breakRules(proxy, stage, log)
        try look(stage)
        proxy.process.send(signal: SIGTERM)
        #expect(try proxy.process.waitForExit() == .status(0))
        expectNothing(in: proxy.log, "the log", stage)
        for name in names(in: stage.folder("state")) {
            let bytes = contents(of: stage.folder("state/\(name)")) ?? []
            expectNothing(in: String(decoding: bytes, as: UTF8.self), name, stage)
        }
        // Without what came, and was said back, there is nothing to be hidden.
        let came = stage.origin.requests.map { "\($0.head.fields.map(\.value)) \($0.body.text)" }.joined()
        for name in [
            "file", "env", "systemd", "exec", "value", "netrc", "helper", "dummy", "token", "header", "client",
        ] {
            let isThere = came.contains(stage.secrets[name]) || came.contains(stage.secrets.base64(of: name))
            #expect(isThere || came.contains(stage.secrets.plain(name)), "\(name) never came to the server")
        }
    }

    private func expectNothing(in text: String, _ sink: String, _ stage: Stage) {
        let shown = stage.secrets.shown(in: text)
        #expect(shown == nil, "\(sink) shows \(shown ?? "")")
    }

    /// Every space in every manner; of the responses, those that the proxy makes itself are a sink.
    private func ask(_ proxy: RunningProxy, _ stage: Stage) throws {
        let own = "Basic " + stage.secrets.base64(of: "own")
        for (credential, method) in Self.spaces {
            for manner in Self.manners {
                // alice:DUMMY, as RFC 7617 encodes it.
                let fields = credential == "dummy" ? ["Authorization: Basic YWxpY2U6RFVNTVk="] : []
                let url = "\(stage.origin.url)/\(method)/\(credential)/\(manner)"
                let response = try? proxy.get(url, fields)
                guard let response, response.status == 502, manner != "told" else { continue }
                let head = String(decoding: response.head.bytes, as: UTF8.self)
                expectNothing(in: head + response.text, url, stage)
            }
        }
        for host in ["env.test", "pac.test"] {
            for manner in Self.manners {
                _ = try? proxy.get("http://\(host)/parent/\(manner)")
            }
        }
        let login = "http://alice:\(stage.secrets.plain("userinfo"))@127.0.0.1:\(stage.origin.port)"
        _ = try? proxy.get("\(login)/basic/userinfo/taken")
        _ = try? proxy.get("\(stage.origin.url)/none", ["Authorization: \(own)", "Cookie: a=\(own)", "X-Any: \(own)"])
    }

    /// What operators look at (O-2).
    private func look(_ stage: Stage) throws {
        for path in ["/", "/status.json", "/metrics", "/healthz", "/readyz"] {
            let client = try HTTPClient(port: stage.admin)
            let response = try client.exchange(
                "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            #expect(response.status == 200, "\(path)")
            expectNothing(in: String(decoding: response.head.bytes, as: UTF8.self) + response.text, path, stage)
        }
    }

    private func command(_ proxy: RunningProxy, _ stage: Stage) throws {
        let config = ["--config", stage.folder("countersign.yaml")]
        var commands: [[String]] = [["pin", "127.0.0.1:\(stage.origin.port)"]]
        for words in [["check"], ["credentials"], ["status"], ["status", "--json"], ["release", "--all"], ["env"]] {
            commands.append(words + config)
        }
        commands.append(["exec"] + config + ["--", "true"])
        for host in ["pac.test", "env.test"] {
            commands.append(["explain", "http://\(host)/", "--proxy-challenge", "Basic realm=\"R\""] + config)
            commands.append(["doctor", "http://\(host)/parent", "--timeout", "3"] + config)
        }
        for (credential, method) in Self.spaces {
            let url = "\(stage.origin.url)/\(method)/\(credential)/taken"
            let offers = ["Basic realm=\"R\"", "Digest realm=\"R\", nonce=\"n\", qop=\"auth\"", "Bearer", "NTLM"]
            let challenges: [String] = offers.flatMap { ["--challenge", $0] }
            commands.append(["explain", url] + config + challenges)
            commands.append(["doctor", url, "--timeout", "3"] + config)
        }
        for command in commands {
            let outcome = try Binary.run(command, environment: stage.environment, workingFolder: stage.folder.path)
            expectNothing(in: outcome.output + outcome.errors, "\(command)", stage)
        }
    }

    /// The file with errors, for the reload, for those who ask how it went, and for `check`.
    private func breakRules(_ proxy: RunningProxy, _ stage: Stage, _ log: String) throws {
        let rules = stage.rules(log)
        for (index, broken) in [
            rules + "nonsense: [\n", rules.replacing("version: 1", with: "version: 2"),
            rules.replacing("password: { value: ", with: "password: { valeu: "),
        ].enumerated() {
            try proxy.rewrite(broken)
            let told = index + 1
            if !log.contains("error") {
                try eventually("the error to be told") { proxy.log.split(separator: "in force go on").count > told }
            }
            let outcome = try Binary.run(["check", stage.folder("countersign.yaml")], environment: stage.environment)
            #expect(outcome.status == 1)
            expectNothing(in: outcome.output + outcome.errors, "check of a broken file", stage)
        }
    }
}
