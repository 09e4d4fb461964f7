import Support
import Testing

/// What the real servers demand by themselves, without the proxy between.
@Suite struct PeersAnswerTests {
    private func challenge(of server: some RealServer, at path: String) throws -> HTTPResponse {
        let client = try HTTPClient(port: server.port)
        return try client.exchange(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n"
        )
    }

    private func curl(_ url: String, _ method: String, to proxy: UInt16? = nil) throws -> Client.Outcome {
        let login = proxy == nil ? "--user" : "--proxy-user"
        return try Client.curl.get(url, proxy: proxy, [method, login, "\(Login.username):\(Login.password)"])
    }

    @Test func `Apache demands Basic and Digest, and takes the login that curl sends`() throws {
        let apache = try Apache()
        #expect(try challenge(of: apache, at: "/open/").status == 200)
        let basic = try challenge(of: apache, at: "/basic/")
        #expect(basic.status == 401)
        #expect(basic["WWW-Authenticate"] == #"Basic realm="Basic staff""#)
        let digest = try challenge(of: apache, at: "/digest/")
        #expect(digest.status == 401)
        let offer = try #require(digest["WWW-Authenticate"])
        #expect(offer.hasPrefix(#"Digest realm="Digest staff", nonce=""#))
        #expect(offer.contains(#"algorithm=MD5, domain="/digest/", qop="auth""#))
        #expect(try curl(apache.url + "/basic/", "--basic").status == 200)
        #expect(try curl(apache.url + "/digest/", "--digest").body == "apache digest\n")
        let entries = try apache.log.wait(for: 6)
        // Its threads write in whatever order.
        #expect(entries.map(\.status).sorted() == [200, 200, 200, 401, 401, 401])
        #expect(entries.contains { $0.status == 200 && $0.authorization.hasPrefix("Digest username=") })
    }

    @Test func `Apache's nonce is stale after its lifetime`() throws {
        let apache = try Apache(nonceLifetime: 1)
        let first = try #require(try challenge(of: apache, at: "/digest/")["WWW-Authenticate"])
        let nonce = try #require(first.split(separator: "nonce=\"").last?.split(separator: "\"").first)
        pause(.milliseconds(2500))
        let ha1 = Digest.md5("\(Login.username):Digest staff:\(Login.password)")
        let response = Digest.md5("\(ha1):\(nonce):00000001:c:auth:\(Digest.md5("GET:/digest/"))")
        let answer = """
            Digest username="\(Login.username)", realm="Digest staff", nonce="\(nonce)", uri="/digest/", \
            algorithm=MD5, qop=auth, nc=00000001, cnonce="c", response="\(response)"
            """
        let client = try HTTPClient(port: apache.port)
        let late = try client.exchange("GET /digest/ HTTP/1.1\r\nHost: a\r\nAuthorization: \(answer)\r\n\r\n")
        #expect(late.status == 401)
        #expect(late["WWW-Authenticate"]?.contains("stale=true") == true)
    }

    @Test func `lighttpd demands Digest with SHA-256 and userhash`() throws {
        let lighttpd = try Lighttpd()
        #expect(try challenge(of: lighttpd, at: "/open/").status == 200)
        let digest = try challenge(of: lighttpd, at: "/digest/")
        #expect(digest.status == 401)
        let offer = try #require(digest["WWW-Authenticate"])
        #expect(offer.hasPrefix(#"Digest realm="Light staff""#))
        #expect(offer.contains("algorithm=SHA-256"))
        #expect(offer.contains("userhash=true"))
        #expect(try curl(lighttpd.url + "/digest/", "--digest").body == "lighttpd digest\n")
        let entries = try lighttpd.log.wait(for: 4)
        #expect(entries.map(\.status) == [200, 401, 401, 200])
        #expect(entries.last?.authorization.contains("userhash=true") == true)
    }

    @Test func `nginx demands Basic`() throws {
        let nginx = try Nginx()
        #expect(try challenge(of: nginx, at: "/open/").status == 200)
        let basic = try challenge(of: nginx, at: "/basic/")
        #expect(basic.status == 401)
        #expect(basic["WWW-Authenticate"] == #"Basic realm="Engine staff""#)
        #expect(try curl(nginx.url + "/basic/", "--basic").body == "nginx basic\n")
        #expect(try nginx.log.wait(for: 3).map(\.status) == [200, 401, 200])
    }

    @Test(arguments: [("--basic", Squid.Demand.basic, "Basic realm="), ("--digest", .digest, "Digest realm=")])
    func `squid demands a login, for a request and for CONNECT`(
        _ method: String,
        _ demand: Squid.Demand,
        _ offer: String
    ) throws {
        let squid = try Squid(demanding: demand)
        let nginx = try Nginx()
        let client = try HTTPClient(port: squid.port)
        let refused = try client.exchange("GET \(nginx.url)/open/ HTTP/1.1\r\nHost: 127.0.0.1:\(nginx.port)\r\n\r\n")
        #expect(refused.status == 407)
        #expect(refused["Proxy-Authenticate"]?.hasPrefix(offer) == true)
        let proxyMethod = "--proxy-" + method.dropFirst(2)
        #expect(try curl(nginx.url + "/open/", proxyMethod, to: squid.port).body == "nginx open\n")
        let arguments = ["--proxytunnel", proxyMethod, "--proxy-user", "\(Login.username):\(Login.password)"]
        let tunnel = try Client.curl.get(nginx.url + "/open/", proxy: squid.port, arguments)
        #expect(tunnel.body == "nginx open\n")
        let entries = try squid.log.wait(for: demand == .basic ? 3 : 5)
        #expect(entries.filter { $0.method == "CONNECT" }.last?.status == 200)
        #expect(
            entries.filter { $0.method == "GET" }.map(\.status) == (demand == .basic ? [407, 200] : [407, 407, 200])
        )
    }

    @Test func `squid without a login lets everything through`() throws {
        let squid = try Squid(demanding: .nothing)
        let nginx = try Nginx()
        #expect(try Client.curl.get(nginx.url + "/open/", proxy: squid.port).status == 200)
        let entries = try squid.log.wait(for: 1)
        #expect(entries.map(\.status) == [200], "\(entries)")
    }

    @Test(arguments: ["auth", "auth-int"], ["MD5", "SHA-256"])
    func `httpbin demands each Digest that it has`(_ qop: String, _ algorithm: String) throws {
        let httpbin = try HTTPBin()
        let path = "/digest-auth/\(qop)/alice/sesame/\(algorithm)"
        let response = try challenge(of: httpbin, at: path)
        #expect(response.status == 401)
        let offer = try #require(response["WWW-Authenticate"])
        #expect(offer.contains("qop=\"\(qop)\""))
        #expect(offer.contains("algorithm=\(algorithm)"))
        #expect(try httpbin.log.wait(for: 1).map(\.status) == [401])
        if qop == "auth" {
            let arguments = ["--digest", "--user", "alice:sesame", "--cookie-jar", "/dev/null"]
            #expect(try Client.curl.get(httpbin.url + path, arguments).status == 200)
        }
    }

    @Test(arguments: Client.allCases) func `a client without a login is refused`(_ client: Client) throws {
        let nginx = try Nginx()
        #expect(try client.get(nginx.url + "/basic/").status == 401)
        let open = try client.get(nginx.url + "/open/")
        #expect(open.status == 200)
        #expect(open.body == "nginx open\n")
    }
}
