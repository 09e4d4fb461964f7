import Bytes
import HTTP
import Rules
import Testing

@Suite("Clients")
struct ClientPatternTests {
    @Test(
        "an entry of clients is about the clients that it names",
        arguments: [
            ("192.0.2.7", Client(address: IPAddress("192.0.2.7")), true),
            ("192.0.2.7", Client(address: IPAddress("::ffff:192.0.2.7")), true),
            ("192.0.2.7", Client(address: IPAddress("192.0.2.8")), false),
            ("10.0.0.0/8", Client(address: IPAddress("10.9.9.9")), true),
            ("fd00::/8", Client(address: IPAddress("fd01::1")), true),
            ("fd00::/8", Client(address: IPAddress("10.0.0.1")), false),
            ("0.0.0.0/0", Client(address: nil), false),
            ("listener:inner", Client(address: nil, listener: "inner"), true),
            ("listener:inner", Client(address: nil, listener: "outer"), false),
            ("listener:inner", Client(address: nil), false),
            ("uid:0", Client(address: nil), false),
            ("uid:0", Client(address: nil, user: 0), true),
            ("uid:1", Client(address: nil, user: 0, groups: [1]), false),
            ("gid:4", Client(address: nil, user: 4, groups: [20, 4]), true),
            ("gid:4", Client(address: nil, user: 4, groups: [20]), false),
            ("login:bob", Client(address: IPAddress("10.0.0.1"), login: "bob"), true),
            ("login:bob", Client(address: IPAddress("10.0.0.1"), login: "Bob"), false),
        ]
    )
    func matching(text: String, client: Client, matches: Bool) throws {
        #expect(try ClientPattern(text).matches(client) == matches)
    }

    @Test(
        "users and groups are known by number or by name",
        arguments: [
            ("uid:1001", .user(1001)), ("uid:alice", .user(7)), ("gid:4", .group(4)), ("gid:staff", .group(8)),
            ("uid:0", .user(0)), ("login:bob", .login("bob")),
        ] as [(String, ClientPattern)]
    )
    func accounts(text: String, pattern: ClientPattern) throws {
        let accounts = Accounts(user: { $0 == "alice" ? 7 : nil }, group: { $0 == "staff" ? 8 : nil })
        #expect(try ClientPattern(text, accounts: accounts) == pattern)
    }

    @Test(
        "a name that nobody has, and the number that stands for nobody, are refused",
        arguments: [
            ("uid:bob", .unknownUser("bob")), ("gid:bob", .unknownGroup("bob")),
            ("uid:4294967295", .unknownUser("4294967295")), ("gid:-1", .unknownGroup("-1")),
        ] as [(String, ClientPatternError)]
    )
    func unknownAccounts(text: String, error: ClientPatternError) {
        #expect(throws: error) { try ClientPattern(text) }
        #expect(error.message.contains("this machine has no"))
    }

    @Test(
        "a text that is no entry is refused",
        arguments: [
            ("localhost", .notAnAddress), ("10.*", .notAnAddress), ("10.0.0.0/33", .malformedNetwork),
            ("user:red", .unknownKind("user")), ("listener:", .empty), ("fd00::/129", .malformedNetwork),
            ("", .notAnAddress), ("[::1]", .notAnAddress),
        ] as [(String, ClientPatternError)]
    )
    func refusal(text: String, error: ClientPatternError) {
        #expect(throws: error) { try ClientPattern(text) }
        #expect(!error.message.isEmpty)
    }

    @Test("a user is not written user:NAME, and the message says how")
    func userMessage() {
        #expect(ClientPatternError.unknownKind("user").message.contains("uid:NAME"))
    }

    @Test(
        "without clients in the rule file loopback and unix sockets may connect, and nobody else",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), (nil, true),
            ("192.0.2.7", false), ("0.0.0.0", false), ("fe80::1", false),
        ] as [(String?, Bool)]
    )
    func defaultAccess(address: String?, isAdmitted: Bool) {
        let configuration = ServerConfiguration.of()
        let client = Client(address: address.flatMap { IPAddress($0) })
        #expect(configuration.admits(client, by: .any) == isAdmitted)
    }

    @Test("a listener's clients stand in the place of those of access")
    func listenerAccess() throws {
        let configuration = ServerConfiguration.of(access: [try ClientPattern("192.0.2.0/24")])
        let listener = ListenerConfiguration(
            address: .tcp(.loopbackV4, 0),
            name: "inner",
            clients: [try ClientPattern("10.0.0.0/8")]
        )
        let inner = Client(address: IPAddress("10.0.0.1"), listener: "inner")
        let outer = Client(address: IPAddress("192.0.2.1"))
        #expect(configuration.admits(inner, by: listener))
        #expect(!configuration.admits(outer, by: listener))
        #expect(configuration.admits(outer, by: .any))
        #expect(!configuration.admits(inner, by: .any))
        #expect(!configuration.admits(Client(address: .loopbackV4), by: .any))
    }
}

@Suite("Realms")
struct RealmPatternTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "S-04 S-05 a realm is compared exactly, and the empty realm is not the absent one",
        arguments: [
            (.any, nil, true), (.any, "", true), (.any, "Staff", true),
            (.oneOf([bytes("Staff")]), "Staff", true), (.oneOf([bytes("Staff")]), "staff", false),
            (.oneOf([bytes("Staff")]), nil, false), (.oneOf([bytes("Staff")]), "", false),
            (.oneOf([[]]), "", true), (.oneOf([[]]), nil, false), (.oneOf([[]]), "x", false),
            (.oneOf([bytes("a"), bytes("b")]), "b", true),
            (.prefix(bytes("AXIS_")), "AXIS_00", true), (.prefix(bytes("AXIS_")), "AXIS", false),
            (.prefix(bytes("AXIS_")), nil, false),
        ] as [(RealmPattern, String?, Bool)]
    )
    func matching(pattern: RealmPattern, realm: String?, matches: Bool) {
        #expect(pattern.matches(realm.map(Self.bytes)) == matches)
    }

    @Test(
        "one realm pattern covers another when nothing is left over",
        arguments: [
            (.any, .oneOf([bytes("a")]), true), (.any, .any, true), (.oneOf([bytes("a")]), .any, false),
            (.prefix(bytes("a")), .oneOf([bytes("ab"), bytes("ac")]), true),
            (.prefix(bytes("a")), .oneOf([bytes("ab"), bytes("c")]), false),
            (.prefix(bytes("a")), .prefix(bytes("ab")), true), (.prefix(bytes("ab")), .prefix(bytes("a")), false),
            (.oneOf([bytes("a")]), .prefix(bytes("a")), false),
            (.oneOf([bytes("a"), bytes("b")]), .oneOf([bytes("b")]), true),
        ] as [(RealmPattern, RealmPattern, Bool)]
    )
    func covering(outer: RealmPattern, inner: RealmPattern, covers: Bool) {
        #expect(outer.covers(inner) == covers)
    }
}
