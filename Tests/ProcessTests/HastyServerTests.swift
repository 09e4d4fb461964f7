import Support
import Testing

/// Servers over TLS that say something, or end, before they are asked.
@Suite struct HastyServerTests {
    /// The first connection says `word` so long behind its handshake, and ends; all others answer what they are asked.
    private func start(_ word: String, after delay: Double) throws -> (TestProcess, UInt16) {
        let port = try FreePort.reserve()
        let leaf = try InterceptionTests.authority.get().leaf("hasty-\(port)", names: "DNS:localhost")
        let program = """
            import socket, ssl, struct, sys, threading, time
            port, certificate, key, word, delay = sys.argv[1:]
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            server = socket.create_server(("127.0.0.1", int(port)))
            print("listening", flush=True)
            def serve(peer, number):
                served = 0
                number += word == "second"
                try:
                    peer = context.wrap_socket(peer, server_side=True)
                    if number == 0:
                        time.sleep(float(delay))
                        if word == "reset":
                            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        elif word != "end":
                            peer.sendall(b"HTTP/1.1 408 Request Timeout\\r\\nContent-Length: 4\\r\\n\\r\\nlate")
                            time.sleep(5)
                        peer.close()
                        return
                    while peer.recv(65536):
                        if word == "second" and number == 1 and served:
                            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                            return peer.close()
                        served += 1
                        peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nreal")
                except OSError:
                    pass
            number = 0
            while True:
                peer, _ = server.accept()
                threading.Thread(target=serve, args=(peer, number), daemon=True).start()
                number += 1
            """
        let arguments = ["-c", program, "\(port)", leaf.certificate, leaf.key, word, "\(delay)"]
        let process = try TestProcess("python3", arguments)
        try eventually("the server") { process.output.contains("listening") }
        return (process, port)
    }

    @Test(
        "I-2 what a server says, or its end, before anything is asked in a tunnel is no answer to what is asked",
        arguments: ["word", "end", "reset"],
        [0, 0.5]
    )
    func unasked(_ word: String, _ delay: Double) throws {
        let (server, port) = try start(word, after: delay)
        let tests = InterceptionTests()
        let proxy = try RunningProxy(tests.trust() + tests.interception(), workers: 1)
        let authority = "localhost:\(port)"
        let outcome = try tests.speak(proxy, to: authority, [tests.get("/", authority)]) { $0.idle = 1 }
        #expect(outcome.failure == nil)
        #expect(outcome.replies.map(\.body) == ["real"])
        withExtendedLifetime(server) {}
    }

    @Test("H-6 a reused connection over TLS that is reset is repeated on a fresh one, as any")
    func second() throws {
        let (server, port) = try start("second", after: 0)
        let proxy = try RunningProxy(InterceptionTests().trust(), workers: 1)
        let client = try proxy.connect()
        for _ in 0..<2 {
            let get = request("GET https://localhost:\(port)/ HTTP/1.1", ["Host: localhost:\(port)"])
            #expect(try client.exchange(get).text == "real")
        }
        withExtendedLifetime(server) {}
    }

    @Test("T-6 a server's demand for a certificate that isn't there is told inside, whenever its alert comes")
    func demanding() throws {
        let authority = try InterceptionTests.authority.get()
        let leaf = try authority.leaf("demanding-\(try FreePort.reserve())", names: "DNS:localhost")
        let port = try FreePort.reserve()
        let server = try TestProcess(
            "openssl",
            ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", leaf.certificate, "-key", leaf.key]
                + ["-CAfile", authority.certificate, "-Verify", "1", "-verify_return_error", "-tls1_3", "-www"]
        )
        try eventually("s_server") { server.output.contains("ACCEPT") }
        let tests = InterceptionTests()
        let proxy = try RunningProxy(tests.trust() + tests.interception(), workers: 1)
        let name = "localhost:\(port)"
        for _ in 0..<10 {
            let outcome = try tests.speak(proxy, to: name, [tests.get("/", name)])
            #expect(outcome.failure == nil)
            #expect(outcome.replies.map(\.status) == [502])
            #expect(outcome.replies.first?.fields["proxy-status"]?.contains("tls.certificate-required") == true)
        }
    }
}
