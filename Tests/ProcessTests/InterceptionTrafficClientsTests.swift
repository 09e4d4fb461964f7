import Support
import Testing

/// What goes through an opened tunnel: much, often, slowly, and as WebSocket.
@Suite struct InterceptionTrafficClientsTests {
    static let authority = Result { try TestAuthority() }
    /// Ours, which only the clients trust.
    static let own = Result { try TestAuthority() }

    /// Python's server over TLS: `/connection` tells which connection it was asked on, a PUT is kept and its SHA-256
    /// told, `/kept` gives it back, `/zeros/N` is N MiB.
    static let origin = """
        import hashlib, http.server, itertools, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        ordinals, kept = itertools.count(), {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                self.ordinal = next(ordinals)

            def answer(self, part, count=1):
                self.send_response(200)
                self.send_header("Content-Length", str(len(part) * count))
                self.end_headers()
                for _ in range(count):
                    self.wfile.write(part)

            def do_GET(self):
                if self.path.startswith("/zeros/"):
                    self.answer(bytes(1 << 20), int(self.path[7:]))
                else:
                    self.answer(kept["it"] if self.path == "/kept" else b"%d" % self.ordinal)

            def do_PUT(self):
                kept["it"] = self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(hashlib.sha256(kept["it"]).hexdigest().encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print("listening", flush=True)
        server.serve_forever()
        """

    /// Echoes messages to who logs in by Basic.
    static let echo = """
        import ssl, sys
        from websockets.sync.server import basic_auth, serve
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])

        def echo(socket):
            for message in socket:
                socket.send(message)

        login = basic_auth(realm="Sockets", credentials=(sys.argv[4], sys.argv[5]))
        with serve(echo, "127.0.0.1", int(sys.argv[1]), ssl=context, process_request=login, max_size=None) as server:
            print("listening", flush=True)
            server.serve_forever()
        """

    /// Starts one of these programs; gives it with its port.
    func start(_ program: String, _ arguments: [String] = []) throws -> (process: TestProcess, port: UInt16) {
        let port = try FreePort.reserve()
        let leaf = try Self.authority.get().leaf("traffic-\(port)", names: "DNS:localhost")
        let files = ["\(port)", leaf.certificate, leaf.key]
        let process = try TestProcess(HTTPBin.python(), ["-c", program] + files + arguments)
        try eventually("the server; it wrote \(process.errors)") { process.output.contains("listening") }
        return (process, port)
    }

    func proxy(_ more: String = "") throws -> RunningProxy {
        let own = try Self.own.get()
        let rules = """
            interception:
              authority: { certificate: \(own.certificate), private_key: { file: \(own.key) } }
              hosts: [localhost]
            trust: [{ host: localhost, anchors: { file: \(try Self.authority.get().certificate) } }]

            """
        return try RunningProxy(rules + more, workers: 1, files: ["secret": Login.password])
    }

    /// Runs a client to its end, which must be a good one; gives what it wrote.
    func run(_ program: String, _ arguments: [String], in folder: ScratchFolder? = nil) throws -> String {
        let process = try TestProcess(program, arguments, workingFolder: folder?.path)
        guard try process.waitForExit(within: .seconds(60)) == .status(0) else {
            throw TestFailure(process.output + process.errors)
        }
        return process.output
    }

    @Test("H-7 20 MiB go up and down an opened tunnel whole")
    func whole() throws {
        let origin = try start(Self.origin)
        let proxy = try proxy()
        let folder = try ScratchFolder("traffic")
        let script = """
            set -e
            head -c 20971520 /dev/urandom >sent
            set -- curl -sS --max-time 60 -x "$1" --cacert "$2" "$3"
            "$@" -T sent >told
            test "$(cat told)" = "$(sha256sum sent | cut -d' ' -f1)"
            "$@" -o received
            cmp sent received
            """
        let url = "https://localhost:\(origin.port)/kept"
        _ = try run("sh", ["-c", script, "sh", proxy.url, Self.own.get().certificate, url], in: folder)
    }

    @Test("I-2 all requests of an opened tunnel go over the one connection that its CONNECT opened")
    func kept() throws {
        let origin = try start(Self.origin)
        let proxy = try proxy()
        let get = "GET /connection HTTP/1.1\r\nHost: localhost:\(origin.port)\r\n\r\n"
        let outcome = try TunnelClient.speak(
            proxy.port,
            to: "localhost:\(origin.port)",
            trusting: Self.own.get().certificate,
            [String](repeating: get, count: 50)
        )
        #expect(outcome.replies.count { $0.status == 200 } == 50)
        #expect(Set(outcome.replies.map(\.body)).count == 1)
    }

    @Test("H-7 a download of 128 MiB in an opened tunnel past a slow reader stays under 64 MiB resident")
    func slow() throws {
        let origin = try start(Self.origin)
        let proxy = try proxy()
        let program = """
            import http.client, ssl, sys, time
            context = ssl.create_default_context(cafile=sys.argv[3])
            client = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context, timeout=30)
            client.set_tunnel("localhost", int(sys.argv[2]))
            client.request("GET", "/zeros/128")
            response = client.getresponse()
            time.sleep(3)
            count = 0
            while part := response.read(65536):
                count += len(part)
                if count < 4 << 20:
                    time.sleep(0.01)
            print(count)
            """
        let client = try run(
            "python3",
            ["-c", program, "\(proxy.port)", "\(origin.port)", Self.own.get().certificate]
        )
        #expect(client == "\(128 << 20)\n")
        let peak = try proxy.process.memory("VmHWM")
        #expect(try peak < proxy.process.bound(mebibytes: 64))
    }

    @Test("H-5b a WebSocket in an opened tunnel is logged in and carries what is sent, either way")
    func webSocket() throws {
        let origin = try start(Self.echo, [Login.username, Login.password])
        let proxy = try proxy(
            """
            credentials: { staff: { username: \(Login.username), password: { file: secret } } }
            rules: [{ space: { host: localhost, port: \(origin.port), protocol: https }, use: staff }]

            """
        )
        let program = """
            import os, ssl, sys
            from websockets.sync.client import connect
            context = ssl.create_default_context(cafile=sys.argv[3])
            with connect(sys.argv[1], ssl=context, proxy=sys.argv[2], max_size=None) as socket:
                for message in ["words", os.urandom(1), os.urandom(65536), os.urandom(3 << 20)]:
                    socket.send(message)
                    assert socket.recv(timeout=30) == message
            print("done")
            """
        let url = "wss://localhost:\(origin.port)/"
        let client = try run(HTTPBin.python(), ["-c", program, url, proxy.url, Self.own.get().certificate])
        #expect(client == "done\n")
        try proxy.waitForLog("target=https://localhost:\(origin.port)/ status=101")
    }
}
