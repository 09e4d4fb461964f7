internal import Bytes
internal import Rules

/// `HOST:PORT`, `unix:PATH` or `systemd:NAME` of a listener.
enum ListenerAddress {
    /// The path of a unix socket is as written.
    static func read(_ text: String) -> Result<ListenerConfiguration.Address, ScalarProblem> {
        if text.hasPrefix("unix:") { return path(String(text.dropFirst(5))).map(ListenerConfiguration.Address.unix) }
        if text.hasPrefix("systemd:") {
            return name(String(text.dropFirst(8))).map(ListenerConfiguration.Address.systemd)
        }
        return addressAndPort(text)
    }

    private static func path(_ text: String) -> Result<String, ScalarProblem> {
        if text.isEmpty { return .failure(.wrong("a path is missing behind 'unix:'")) }
        if text.hasPrefix("//") { return .failure(.wrong("write unix:/PATH, without further slashes")) }
        if text.hasPrefix("@") {
            return .failure(.wrong("a socket without a file has no permissions: write unix:PATH with a path"))
        }
        return ScalarType.path.problem(text, isPlain: false).map { .failure($0) } ?? .success(text)
    }

    /// What systemd takes for FileDescriptorName=.
    private static func name(_ text: String) -> Result<String, ScalarProblem> {
        if text.isEmpty { return .failure(.wrong("a name is missing behind 'systemd:'")) }
        let isName = text.utf8.count <= 255 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3A }
        return isName
            ? .success(text)
            : .failure(.wrong("a socket of systemd has the name of FileDescriptorName=, which has no blank and no ':'"))
    }

    private static func addressAndPort(_ text: String) -> Result<ListenerConfiguration.Address, ScalarProblem> {
        guard let colon = text.lastIndex(of: ":") else {
            let isPort = ScalarValue.port(text) != nil
            return .failure(
                .wrong("an address to listen on is HOST:PORT: write \(isPort ? "127.0.0.1:\(text)" : "127.0.0.1:3128")")
            )
        }
        if text.hasSuffix("]") { return .failure(.wrong("a port is missing: write \"\(text):3128\"")) }
        let host = String(text[..<colon])
        let digits = String(text[text.index(after: colon)...])
        guard let port = ScalarValue.integer(digits).flatMap({ UInt16(exactly: $0) }) else {
            return .failure(.wrong("a port is missing behind the address, or isn't a number up to 65535"))
        }
        if host.isEmpty || host == "*" {
            return .failure(.wrong("write 127.0.0.1:\(port) for this machine only, 0.0.0.0:\(port) for all addresses"))
        }
        if host == "localhost" { return .success(.tcp(.loopbackV4, port)) }
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let address = IPAddress(String(host.dropFirst().dropLast())), address.family == .v6 else {
                return .failure(.wrong("\(Quoting.quoted(host)) holds no IPv6 address"))
            }
            return .success(.tcp(address, port))
        }
        if host.contains(":") {
            return .failure(.wrong("an IPv6 address stands in brackets and quotes: \"[::1]:\(port)\""))
        }
        guard let address = IPAddress(host) else {
            return .failure(
                .wrong("\(Quoting.quoted(host)) is no address of this machine: names aren't looked up here")
            )
        }
        return .success(.tcp(address, port))
    }
}
