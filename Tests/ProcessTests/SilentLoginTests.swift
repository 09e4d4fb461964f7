import Support
import Testing

/// SOCKS5 proxies that end the connection behind a login without a word.
@Suite struct SilentLoginTests {
    @Test(
        "A-7 a login behind which a SOCKS5 proxy hangs up is rejected: it isn't sent again, nor is the proxy gone round"
    )
    func hangsUp() throws {
        let origin = try ScriptedPeer { _ in [.response(body: "origin")] }
        let folder = try ScratchFolder("socks")
        let port = try FreePort.reserve()
        let program = """
            import socket, time
            time.sleep(0.5)
            listener = socket.create_server(("127.0.0.1", \(port)))
            while True:
                peer, _ = listener.accept()
                if peer.recv(64)[:1] == b"\\x05":
                    peer.sendall(b"\\x05\\x02")
                    login = peer.recv(600)
                    if login:
                        print("login", flush=True)
                peer.close()

            """
        let socks = try TestProcess("python3", [folder.write(program, to: "socks.py")])
        // Until it listens it refuses connections, and is a dead way for a second.
        let proxy = try RunningProxy(
            """
            credentials: { staff: { username: alice, password: { file: secret } } }
            proxies: { a: { url: "socks5://127.0.0.1:\(port)", use: staff } }
            routes: [{ host: "*", via: [a, direct] }]

            """,
            workers: 2,
            files: ["secret": "wrong"]
        )
        try eventually("the SOCKS proxy") { reason(of: try proxy.get("\(origin.url)/")) == "credential.rejected" }
        for _ in 0..<3 { #expect(reason(of: try proxy.get("\(origin.url)/")) == "credential.withheld") }
        #expect(socks.output == "login\n")
        // What went directly before it listened is no way round it.
        let count = origin.requests.count
        for _ in 0..<3 { #expect(reason(of: try proxy.get("\(origin.url)/")) == "credential.withheld") }
        #expect(origin.requests.count == count)
    }
}
