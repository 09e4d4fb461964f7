#if GSSAPI
    internal import Crypto
    internal import Support
    internal import Testing

    @testable internal import GSS

    /// Handshakes by NTLM [MS-NLMP], read by hand; user, password and challenges are those of its section 4.2.
    struct NTLMTests {
        /// CHALLENGE_MESSAGE of section 4.2.4.3: with target info.
        private static let challenge = hexadecimal(
            "4e544c4d53535000020000000c000c003800000033828ae20123456789abcdef00000000000000002400240044000000060070170000000f"
                + "53006500720076006500720002000c0044006f006d00610069006e0001000c0053006500720076006500720000000000"
        )
        /// CHALLENGE_MESSAGE of section 4.2.2.3: without.
        private static let bareChallenge = hexadecimal(
            "4e544c4d53535000020000000c000c0038000000338202e20123456789abcdef00000000000000000000000000000000060070170000000f"
                + "530065007200760065007200"
        )
        private static let serverChallenge = hexadecimal("0123456789abcdef")
        /// NTOWFv2("Password", "User", "Domain") of section 4.2.4.1.1.
        private static let key = hexadecimal("0c868a403bfd7a93a3001ef22ef02e3f")

        /// The acceptor's, by the hash: for a password gss-ntlmssp loads a provider and keeps it.
        private static let users =
            "Domain\\User:0:00000000000000000000000000000000:A4F49C406510BDCAB6824EE7C30FD852:[U]:LCT-0\n"

        private static let password = NTLMLogin.Proof.password(Secret("Password"))
        /// NTOWFv1("Password") of section 4.2.2.1.2.
        private static let hash = NTLMLogin.Proof.hash(Secret(hexadecimal("a4f49c406510bdcab6824ee7c30fd852").span))

        private func login(
            _ name: String,
            domain: String? = nil,
            proof: NTLMLogin.Proof = NTLMTests.password
        ) -> NTLMLogin {
            NTLMLogin(name: LoginName(username: Array(name.utf8), domain: domain), proof: proof)
        }

        private func handshake(_ login: NTLMLogin, inSPNEGO: Bool = false, binding: [UInt8]? = nil) throws -> Handshake
        {
            Handshake(try SecurityContext(login, host: "localhost", inSPNEGO: inSPNEGO, channelBinding: binding))
        }

        /// The last message, in answer to `challenge`.
        private func answer(
            _ login: NTLMLogin,
            to challenge: [UInt8] = NTLMTests.challenge,
            binding: [UInt8]? = nil
        ) throws -> Type3 {
            let context = try handshake(login, binding: binding)
            let first = try #require(try context.step(nil)).bytes
            #expect(first.starts(with: Array("NTLMSSP\0".utf8) + [1, 0, 0, 0]))
            let last = try #require(try context.step(challenge)).bytes
            #expect(context.isComplete)
            return try Type3(last)
        }

        @Test(
            "C-11 a password and the hash of one are answered by NTLMv2 and never by NTLMv1",
            arguments: [false, true]
        )
        func version2(byHash: Bool) throws {
            let proof = byHash ? NTLMTests.hash : NTLMTests.password
            let answer = try answer(login("User", domain: "Domain", proof: proof))
            #expect(answer.response.count > 24, "24 bytes are NTLMv1's")
            #expect(answer.proves(NTLMTests.key, NTLMTests.serverChallenge))
            // With target info, there is no LMv2 [section 3.1.5.1.2]; an LM response would be 24 bytes that aren't zero.
            #expect(answer.legacyResponse.allSatisfy { $0 == 0 })
        }

        @Test("C-11 the domain goes apart in DOMAIN\\user, and not at all in user@realm and a bare name")
        func names() throws {
            let beside = try answer(login("User", domain: "Domain"))
            #expect(beside.user == "User" && beside.domain == "Domain")
            let before = try answer(login("Domain\\User"))
            #expect(before.user == "User" && before.domain == "Domain")
            #expect(before.proves(NTLMTests.key, NTLMTests.serverChallenge))
            let behind = try answer(login("user@realm.example"))
            #expect(behind.user == "user@realm.example" && behind.domain.isEmpty)
            let bare = try answer(login("User"))
            #expect(bare.user == "User" && bare.domain.isEmpty)
            let both = try answer(login("user@realm.example", domain: "Domain"))
            #expect(both.user == "user@realm.example" && both.domain == "Domain")
        }

        @Test("C-11 a challenge without target info is answered, with a channel binding at hand too")
        func noTargetInfo() throws {
            for binding in [nil, Array("tls-server-end-point:x".utf8)] as [[UInt8]?] {
                let answer = try answer(
                    login("User", domain: "Domain"),
                    to: NTLMTests.bareChallenge,
                    binding: binding
                )
                #expect(answer.response.count > 24)
                #expect(answer.proves(NTLMTests.key, NTLMTests.serverChallenge))
            }
        }

        /// A challenge with a head of this many bytes, and the name Server behind it where there is room for its field.
        private func challenge(head: Int, named: Bool) -> [UInt8] {
            let name = named ? NTLMTests.bareChallenge.suffix(12) : []
            let flags: [UInt8] = [named ? 0x05 : 0x01, 0x82, named ? 0x0A : 0x08, 0x00]
            let empty = [UInt8](repeating: 0, count: 24)
            let field: [UInt8] = [UInt8(name.count), 0, UInt8(name.count), 0, UInt8(head), 0, 0, 0]
            let whole: [[UInt8]] = [Self.signature, field, flags, NTLMTests.serverChallenge, empty]
            return whole.flatMap(\.self).prefix(head) + name
        }

        @Test("C-11 a challenge of earlier days is answered, whose head ends earlier", arguments: [32, 40, 48, 56])
        func shortHeads(head: Int) throws {
            for isNamed in [false, true] where head > 32 || !isNamed {
                let challenge = challenge(head: head, named: isNamed)
                let answer = try answer(login("User", domain: "Domain"), to: challenge)
                #expect(answer.proves(NTLMTests.key, NTLMTests.serverChallenge))
            }
        }

        /// A challenge with these bytes as target name and as target info, behind a head of 56 bytes.
        private static func challenge(name: [UInt8], info: [UInt8]?) -> [UInt8] {
            func field(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
                [UInt8(bytes.count), 0, UInt8(bytes.count), 0, UInt8(offset), 0, 0, 0]
            }
            let flags: [UInt8] = [0x35, 0x82, info == nil ? 0x09 : 0x89, 0x62]
            let info = info ?? []
            let empty = [UInt8](repeating: 0, count: 8)
            let version: [UInt8] = [6, 0, 0x70, 0x17, 0, 0, 0, 0x0f]
            let parts: [[UInt8]] = [
                signature, field(name, at: 56), flags, serverChallenge, empty, field(info, at: 56 + name.count),
                version,
                name, info,
            ]
            return parts.flatMap(\.self)
        }

        /// What a Type 2 message begins with.
        private static let signature: [UInt8] = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0]

        private static let end: [UInt8] = [0, 0, 0, 0]
        /// MsvAvNbComputerName S, and MsvAvTimestamp [section 2.2.2.1].
        private static let computer: [UInt8] = [1, 0, 2, 0, 0x53, 0]
        private static let time: [UInt8] = [7, 0, 8, 0, 0, 0x80, 0x3e, 0xd5, 0xde, 0xb1, 0x9d, 1]

        @Test(
            "S-2 C-11 a challenge with neither a name nor one in its target info is answered",
            arguments: [nil, [], end, computer + end] as [[UInt8]?]
        )
        func nameless(info: [UInt8]?) throws {
            let answer = try answer(login("User", domain: "Domain"), to: Self.challenge(name: [], info: info))
            #expect(answer.proves(NTLMTests.key, NTLMTests.serverChallenge))
        }

        @Test(
            "S-2 a challenge whose target info is no list of pairs is told, not handed on",
            arguments: [
                [1], time, [1, 0, 0xff, 0xff] + end, [1, 0, 3, 0, 0x53, 0, 0x53] + end, time + end,
                computer + time + end,
            ] as [[UInt8]]
        )
        func brokenInfo(info: [UInt8]) throws {
            let context = try handshake(login("User"))
            _ = try context.step(nil)
            do throws(GSSError) {
                _ = try context.step(Self.challenge(name: [], info: info))
                Issue.record("it was answered")
            } catch {
                #expect(error.code == "ntlm.invalid-challenge")
            }
        }

        @Test("S-2 whatever becomes of the bytes of a challenge on the way, it is answered or told")
        func damage() throws {
            var state: UInt64 = 0x9e37_79b9_7f4a_7c15
            func next(_ bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(truncatingIfNeeded: state >> 33) % bound
            }
            let seeds = [
                NTLMTests.challenge, NTLMTests.bareChallenge,
                Self.challenge(name: [0x53, 0], info: Self.computer + Self.end),
                Self.challenge(name: [0x53, 0], info: Self.computer + Self.time + Self.end),
            ]
            for round in 0..<4_000 {
                var bytes = seeds[round % seeds.count]
                for _ in 0...next(4) {
                    bytes[12 + next(bytes.count - 12)] = [0, 1, 2, 4, 0x7f, 0x80, 0xff, UInt8(next(256))][next(8)]
                }
                if next(4) == 0 { bytes.removeLast(next(bytes.count - 20)) }
                let context = try handshake(login("User", domain: "Domain", proof: NTLMTests.hash))
                _ = try context.step(nil)
                _ = try? context.step(bytes)
            }
        }

        @Test("C-11 what is no challenge is told as such")
        func noChallenge() throws {
            for nonsense in [[], Array("NTLMSSP\0".utf8), Array(NTLMTests.challenge.prefix(30)), Array("x".utf8)]
                as [[UInt8]]
            {
                let context = try handshake(login("User"))
                _ = try context.step(nil)
                do throws(GSSError) {
                    _ = try context.step(nonsense)
                    Issue.record("\(nonsense) was answered")
                } catch {
                    #expect(error.kind == .peer)
                    #expect(error.code == "ntlm.invalid-challenge")
                }
            }
        }

        @Test("C-4 the channel binding is in the answer, as its MD5 over the structure of RFC 2744")
        func channelBinding() throws {
            let binding = Array("tls-server-end-point:".utf8) + [UInt8](repeating: 9, count: 32)
            let answer = try answer(login("User", domain: "Domain"), binding: binding)
            // Two empty addresses of no type, then the length of the data and the data [RFC 4121, section 4.1.1.2].
            let structure = [UInt8](repeating: 0, count: 16) + [UInt8(binding.count), 0, 0, 0] + binding
            #expect(answer.pair(10) == hexadecimal(Digest.md5(structure)))
            #expect(answer.proves(NTLMTests.key, NTLMTests.serverChallenge))
            let without = try self.answer(login("User", domain: "Domain"))
            #expect((without.pair(10) ?? []).allSatisfy { $0 == 0 })
        }

        @Test("C-2 NTLM inside SPNEGO is the only mechanism there", arguments: [false, true])
        func inSPNEGO(byHash: Bool) throws {
            let folder = try ScratchFolder("ntlm")
            let users = try folder.write(NTLMTests.users, to: "users", mode: 0o600)
            let login = login("User", domain: "Domain", proof: byHash ? NTLMTests.hash : NTLMTests.password)
            let context = try handshake(login, inSPNEGO: true)
            let acceptor = try Acceptor(users: users, inSPNEGO: true)
            var token = try #require(try context.step(nil)).bytes
            #expect(try SPNEGO.mechanisms(token) == [SPNEGO.ntlm])
            for _ in 0..<3 where !acceptor.isComplete || !context.isComplete {
                let answer = try acceptor.step(token)
                if answer.isEmpty { break }
                token = try context.step(answer)?.bytes ?? []
                if token.isEmpty { break }
            }
            #expect(acceptor.isComplete)
            #expect(context.isComplete)
            #expect(acceptor.client.hasPrefix("Domain\\User"))
        }

        @Test("an acceptor takes the answer to its own challenge, and no other password")
        func acceptor() throws {
            let folder = try ScratchFolder("ntlm")
            let users = try folder.write(NTLMTests.users, to: "users", mode: 0o600)
            for (word, isRight) in [("Password", true), ("password", false)] {
                let context = try handshake(login("User", domain: "Domain", proof: .password(Secret(word))))
                let acceptor = try Acceptor(users: users)
                let challenge = try acceptor.step(try #require(try context.step(nil)).bytes)
                let last = try #require(try context.step(challenge)).bytes
                if isRight {
                    _ = try acceptor.step(last)
                    #expect(acceptor.isComplete)
                } else {
                    #expect(throws: TestFailure.self) { try acceptor.step(last) }
                }
            }
        }
    }

    /// AUTHENTICATE_MESSAGE [MS-NLMP, section 2.2.1.3].
    private struct Type3 {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) throws {
            guard bytes.count >= 64, bytes.starts(with: Array("NTLMSSP\0".utf8) + [3, 0, 0, 0]) else {
                throw TestFailure("no AUTHENTICATE_MESSAGE: \(bytes)")
            }
            self.bytes = bytes
        }

        var legacyResponse: [UInt8] { field(12) }
        var response: [UInt8] { field(20) }
        var domain: String { text(28) }
        var user: String { text(36) }

        /// Whether the response is NTLMv2's by this key [section 3.3.2].
        func proves(_ key: [UInt8], _ challenge: [UInt8]) -> Bool {
            guard response.count > 44, response[16...].starts(with: [1, 1, 0, 0]) else { return false }
            return Array(response.prefix(16)) == authenticated(challenge + response[16...], key)
        }

        /// A value of the target info in the response, by its AvId [section 2.2.2.1].
        func pair(_ wanted: Int) -> [UInt8]? {
            var rest = response.dropFirst(44)
            while rest.count >= 4 {
                let header = Array(rest.prefix(4)).map(Int.init)
                let value = Array(rest.dropFirst(4).prefix(header[2] | header[3] << 8))
                if header[0] == wanted { return value }
                if header[0] == 0 { return nil }
                rest = rest.dropFirst(4 + value.count)
            }
            return nil
        }

        private func field(_ place: Int) -> [UInt8] {
            let length = Int(bytes[place]) | Int(bytes[place + 1]) << 8
            let offset = (0..<4).reduce(0) { $0 | Int(bytes[place + 4 + $1]) << (8 * $1) }
            return Array(bytes.dropFirst(offset).prefix(length))
        }

        private func text(_ place: Int) -> String {
            let bytes = field(place)
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
                UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
            }
            return String(decoding: units, as: UTF16.self)
        }

        /// HMAC-MD5 [RFC 2104].
        private func authenticated(_ text: [UInt8], _ key: [UInt8]) -> [UInt8] {
            let block = key + [UInt8](repeating: 0, count: 64 - key.count)
            let inner = hexadecimal(Digest.md5(block.map { $0 ^ 0x36 } + text))
            return hexadecimal(Digest.md5(block.map { $0 ^ 0x5C } + inner))
        }
    }

    /// The bytes of a text of hexadecimal digits.
    private func hexadecimal(_ text: String) -> [UInt8] {
        let digits = text.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
#endif
