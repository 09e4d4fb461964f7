import Support
import Testing

/// Rules and requests of the tests of connection-bound authentication.
enum Bound {
    /// The credentials `alice` and `bob` of the acceptor, good for every method.
    static let credentials = """
        credentials:
          alice: { username: alice, password: { value: "\(Acceptor.users["alice"] ?? "")" } }
          bob: { username: bob, password: { value: "\(Acceptor.users["bob"] ?? "")" } }

        """

    /// Rules that answer every origin on loopback by this method and `use`.
    static func rules(_ method: String = "ntlm", use: String = "alice", _ more: String = "") -> String {
        credentials
            + "rules: [{ space: { host: [127.0.0.1, localhost], port: any, method: [\(method)] }, use: \(use)\(more) }]\n"
    }

    /// Rules for one parent that wants this method, and everything through it.
    static func through(_ parent: Acceptor, _ method: String = "ntlm", use: String = "bob") -> String {
        """
        proxies: { up: { url: "\(parent.url)", use: \(use), method: [\(method)] } }
        routes: [{ host: "*", via: up }]

        """
    }

    /// A request with a body of that many bytes, which are all the same.
    static func post(_ url: String, _ count: Int, method: String = "POST", _ fields: [String] = []) -> String {
        request(
            "\(method) \(url) HTTP/1.1",
            ["Host: h", "Content-Length: \(count)"] + fields,
            body: String(repeating: "b", count: count)
        )
    }
}
