#if GSSAPI
    internal import Authentication
    internal import Crypto
    internal import Glibc
    internal import Support
    internal import Testing

    @testable internal import GSS

    /// Handshakes by Kerberos with a KDC of the test's own and the system's acceptor.
    @Suite(.serialized) struct KerberosTests {
        private let realms: Realms.Set

        init() throws { realms = try Realms.shared.get() }

        private func login(_ source: KerberosCredential.Source, _ principal: String? = nil) -> KerberosLogin {
            KerberosLogin(KerberosCredential(principal: principal, source: source, serviceName: .asGiven))
        }

        private func password(_ user: String = Login.username, _ word: String = Login.password) -> KerberosLogin {
            login(.password(Secret(word)), realms.open.principal(user))
        }

        private func handshake(
            _ login: KerberosLogin,
            _ service: ServicePrincipalName = ServicePrincipalName(host: "localhost"),
            binding: [UInt8]? = nil,
            mayAskKDC: Bool = true
        ) throws(GSSError) -> Handshake {
            Handshake(try SecurityContext(login, service: service, channelBinding: binding, mayAskKDC: mayAskKDC))
        }

        /// Goes through a whole handshake and gives who the server says that the client is.
        private func client(_ login: KerberosLogin, _ service: ServicePrincipalName? = nil) throws -> String {
            let context = try handshake(login, service ?? ServicePrincipalName(host: "localhost"))
            let acceptor = try Acceptor(keytab: realms.keytab)
            let token = try #require(try context.step(nil)).bytes
            let answer = try acceptor.step(token)
            #expect(acceptor.isComplete)
            #expect(!context.isComplete, "the server has proven nothing yet")
            #expect(try context.step(answer) == nil)
            #expect(context.isComplete)
            return acceptor.client
        }

        private func failure(_ login: KerberosLogin, host: String = "localhost", mayAskKDC: Bool = true) -> GSSError? {
            do throws(GSSError) {
                _ = try handshake(login, ServicePrincipalName(host: host), mayAskKDC: mayAskKDC)
                return nil
            } catch {
                return error
            }
        }

        // MARK: C-2, C-4

        @Test("C-2 a password, a keytab, a named cache and the default cache each log in, and the server is verified")
        func allSources() throws {
            let open = realms.open
            #expect(try client(password()) == "alice@OPEN.TEST")
            let keytab = try open.keytab("agent")
            #expect(try client(login(.keytab(keytab, content: Secret("")))) == "agent@OPEN.TEST")
            #expect(try client(login(.keytab(keytab, content: Secret("")), "agent")) == "agent@OPEN.TEST")
            #expect(try client(login(.cache(open.login("bob", password: "bob's", cache: "bob")))) == "bob@OPEN.TEST")
            try open.login()
            #expect(try client(login(.defaultCache)) == "alice@OPEN.TEST")
            #expect(try client(login(.defaultCache, "alice@OPEN.TEST")) == "alice@OPEN.TEST")
            unsafe unlink(String(open.cache("default").dropFirst(5)))
        }

        @Test("C-2 SPNEGO names Kerberos and no other mechanism")
        func oneMechanism() throws {
            let context = try handshake(password())
            let token = try #require(try context.step(nil)).bytes
            #expect(try SPNEGO.mechanisms(token) == [SPNEGO.kerberos])
        }

        @Test("C-2 a server that can't prove itself is told as such")
        func unproven() throws {
            for answer in [[0x6F], Array("nonsense".utf8)] as [[UInt8]] {
                let context = try handshake(password())
                _ = try context.step(nil)
                do throws(GSSError) {
                    _ = try context.step(answer)
                    Issue.record("a final token that says nothing was taken")
                } catch {
                    #expect(error.kind == .peer)
                    #expect(error.code == "negotiate.server-unproven")
                }
                #expect(!context.isComplete)
            }
        }

        @Test("C-2 another handshake's answer proves nothing")
        func answerOfAnother() throws {
            let login = password()
            let first = try handshake(login)
            let second = try handshake(login)
            let acceptor = try Acceptor(keytab: realms.keytab)
            let token = try #require(try first.step(nil)).bytes
            let other = try #require(try second.step(nil)).bytes
            #expect(token != other, "an AP-REQ is never sent twice")
            let answer = try acceptor.step(token)
            #expect(throws: GSSError.self) { try second.step(answer) }
        }

        @Test("C-4 the server takes the channel binding where both have the same, and refuses another")
        func channelBinding() throws {
            let binding = Array("tls-server-end-point:".utf8) + [UInt8](repeating: 7, count: 32)
            let login = password()
            let refused = try #require(try handshake(login, binding: binding).step(nil)).bytes
            #expect(throws: TestFailure.self) {
                try Acceptor(keytab: realms.keytab).step(refused, channelBinding: Array("tls-server-end-point:x".utf8))
            }
            let context = try handshake(login, binding: binding)
            let token = try #require(try context.step(nil)).bytes
            let acceptor = try Acceptor(keytab: realms.keytab)
            _ = try context.step(acceptor.step(token, channelBinding: binding))
            #expect(context.isComplete)
        }

        // MARK: C-9

        @Test("C-9 the service is named as the URL has it, whatever the system's profile says of other names")
        func nameAsGiven() throws {
            // With rdns and dns_canonicalize_hostname, the name of this address would be localhost.
            _ = try client(password(), ServicePrincipalName(host: "127.0.0.1"))
            #expect(realms.open.count("TGS_REQ", "for HTTP/127.0.0.1@OPEN.TEST") > 0)
        }

        @Test("C-9 a literal name is taken as it is, and the canonical one is that of the forward look-up")
        func otherNames() throws {
            let literal = try ServicePrincipalName(.literal("HTTP/web.open.test"), host: "localhost")
            #expect(try client(password(), literal) == "alice@OPEN.TEST")
            #expect(realms.open.count("TGS_REQ", "for HTTP/web.open.test@OPEN.TEST") > 0)
            #expect(try ServicePrincipalName(.canonical, host: "127.0.0.1") == ServicePrincipalName(host: "127.0.0.1"))
            do throws(GSSError) {
                _ = try ServicePrincipalName(.canonical, host: "no-such-host.invalid")
                Issue.record("a name that doesn't exist has a canonical one")
            } catch {
                #expect(error.code == "kerberos.no-canonical-name")
            }
        }

        // MARK: C-10

        @Test("C-10 a ticket that appears in a cache later is noticed at once")
        func laterTicket() throws {
            let path = realms.open.cache("later")
            let login = login(.cache(path))
            #expect(failure(login)?.code == "kerberos.no-ticket")
            try realms.open.login(cache: "later")
            #expect(try client(login) == "alice@OPEN.TEST")
        }

        @Test("C-10 tickets are kept, renewed ahead of their end, and no file holds them")
        func renewal() throws {
            try realms.open.administer(["addprinc -maxlife 8s +requires_preauth -pw short short"])
            let login = password("short", "short")
            let issued = { realms.open.count("AS_REQ", "ISSUE", "short@OPEN.TEST") }
            _ = try client(login)
            _ = try client(login)
            #expect(issued() == 1)
            // Half of its life has gone by.
            pause(.seconds(5))
            _ = try client(login)
            #expect(issued() == 2)
            #expect(realms.open.count("AS_REQ", "ISSUE", "short@OPEN.TEST") == 2)
        }

        @Test("C-10 what is at hand is used without asking the KDC, and nothing else is")
        func withoutKDC() throws {
            let login = password()
            #expect(failure(login, mayAskKDC: false)?.silentRealm == "OPEN.TEST")
            _ = try client(login)
            #expect(failure(login, mayAskKDC: false) == nil)
            #expect(failure(login, host: "web.open.test", mayAskKDC: false)?.code == "kerberos.kdc-unreachable")
        }

        @Test("C-10 clock skew is told as such")
        func skew() throws {
            let cache = try realms.ahead.login()
            realms.ahead.stop()
            try realms.ahead.start(clockOffset: 3600)
            let error = failure(login(.cache(cache)), host: "localhost.ahead.test")
            realms.ahead.stop()
            try realms.ahead.start()
            #expect(error?.code == "kerberos.clock-skew")
            #expect(error?.kind == .unavailable)
        }

        // MARK

        @Test("A-7 a wrong password costs one attempt at the KDC, and is a rejection")
        func wrongPassword() throws {
            let refused = {
                realms.open.count("PREAUTH_FAILED", "bob@OPEN.TEST")
                    + realms.open.count("preauth", "bob@OPEN.TEST", "failed")
            }
            let before = refused()
            let error = failure(password("bob", "not bob's"))
            #expect(error?.code == "kerberos.preauth-failed")
            #expect(error?.kind == .rejected)
            #expect(refused() == before + 1, "\(realms.open.log.suffix(8))")
        }

        @Test("A-19 each failure before anything was sent has a code of its own")
        func codes() throws {
            let open = realms.open
            #expect(failure(password("nobody"))?.code == "kerberos.unknown-principal")
            #expect(failure(password(), host: "other.open.test")?.code == "kerberos.unknown-service")
            #expect(failure(login(.cache("FILE:/nonexistent/cache")))?.code == "kerberos.no-ticket")
            #expect(failure(login(.keytab("/nonexistent/keytab", content: Secret(""))))?.code == "kerberos.keytab")
            #expect(failure(login(.password(Secret("x")), "alice@NOWHERE.TEST"))?.code == "kerberos.no-realm")
            let down = failure(login(.password(Secret("x")), realms.down.principal("alice")))
            #expect(down?.code == "kerberos.kdc-unreachable")
            #expect(down?.silentRealm == "DOWN.TEST")
            try open.administer(["addprinc -maxlife 1s +requires_preauth -pw brief brief"])
            let cache = try open.login("brief", password: "brief", cache: "brief")
            pause(.seconds(3))
            #expect(failure(login(.cache(cache)))?.code == "kerberos.ticket-expired")
        }

        @Test("A-19 a password that has expired and a principal that is locked are rejections with codes of their own")
        func refusedPrincipals() throws {
            try realms.open.administer([
                "addprinc +requires_preauth -pw old -pwexpire \"yesterday\" old",
                "addprinc -allow_tix +requires_preauth -pw locked locked",
            ])
            let old = failure(password("old", "old"))
            #expect(old?.code == "kerberos.password-expired")
            #expect(old?.kind == .rejected)
            let locked = failure(password("locked", "locked"))
            #expect(locked?.code == "kerberos.client-revoked")
            #expect(locked?.kind == .rejected)
        }
    }

    /// A context that expectations can look at.
    final class Handshake {
        private var context: SecurityContext

        init(_ context: consuming SecurityContext) { self.context = context }

        var isComplete: Bool { context.isComplete }

        func step(_ input: [UInt8]?) throws(GSSError) -> Secret? { try context.step(input) }
    }

    extension Secret {
        /// A copy of the bytes.
        var bytes: [UInt8] {
            withBytes { bytes in
                var copy: [UInt8] = []
                for index in bytes.indices { copy.append(bytes[index]) }
                return copy
            }
        }
    }
#endif
