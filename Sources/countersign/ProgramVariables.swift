internal import Bytes
internal import Events

/// The variables by which programs use a proxy and trust an authority; countersign(1) says which program reads which.
struct ProgramVariables {
    /// A name of this machine's own, which programs reach without the proxy unless a rule is about it.
    enum Loopback: String, CaseIterable {
        case name = "localhost"
        case v4 = "127.0.0.1"
        case v6 = "::1"

        /// As Java's `http.nonProxyHosts` has it.
        fileprivate var javaPattern: String {
            switch self {
            case .name: "localhost"
            case .v4: "127.*"
            case .v6: "[::1]"
            }
        }
    }

    /// In the order in which they are told.
    let all: [(name: String, value: String)]

    /// Those for the proxy at `address`.
    ///
    /// - Parameters:
    ///   - address: where it listens.
    ///   - login: `NAME:PASSWORD` for the proxy, of characters that a URL takes.
    ///   - direct: what goes past the proxy.
    ///   - trust: the files of what programs are to trust; nil: they trust what they always do.
    ///   - javaOptions: what JAVA_TOOL_OPTIONS holds already.
    init(
        proxy address: SocketAddress,
        login: String? = nil,
        direct: [Loopback],
        trust: TrustFiles?,
        javaOptions: String?
    ) {
        let url = "http://\(login.map { "\($0)@" } ?? "")\(address.description)"
        let exceptions = direct.map(\.rawValue).joined(separator: ",")
        var all = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "CARGO_HTTP_PROXY"].map {
            (name: $0, value: url)
        }
        all += ["no_proxy", "NO_PROXY"].map { (name: $0, value: exceptions) }
        all.append((name: "NODE_USE_ENV_PROXY", value: "1"))
        let java = JavaOptions(
            proxy: address,
            direct: direct == Loopback.allCases ? direct.map(\.javaPattern) : [],
            keyStore: trust?.keyStore
        )
        all.append((name: "JAVA_TOOL_OPTIONS", value: java.added(to: javaOptions ?? "")))
        if let trust {
            all += [
                "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO",
                "NODE_EXTRA_CA_CERTS", "DENO_CERT", "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE",
            ].map { (name: $0, value: trust.bundle) }
            all.append((name: "WGETRC", value: trust.wgetrc))
        }
        self.all = all
    }
}

/// What JAVA_TOOL_OPTIONS says of a proxy and of trust.
private struct JavaOptions {
    private let properties: [(name: String, value: String)]

    init(proxy: SocketAddress, direct: [String], keyStore: String?) {
        let (host, port) = ("\(proxy.address)", "\(proxy.port)")
        var properties = [
            (name: "http.proxyHost", value: host), (name: "http.proxyPort", value: port),
            (name: "https.proxyHost", value: host), (name: "https.proxyPort", value: port),
            // For both schemes. Java adds all the loopback names to whatever stands here but to nothing.
            (name: "http.nonProxyHosts", value: direct.joined(separator: "|")),
        ]
        if let keyStore {
            properties.append((name: "javax.net.ssl.trustStore", value: keyStore))
            properties.append((name: "javax.net.ssl.trustStoreType", value: "PKCS12"))
        }
        self.properties = properties
    }

    /// Behind the options that stand there already, but for earlier ones of ours.
    func added(to options: String) -> String {
        let kept = Self.words(of: options).filter { word in
            !properties.contains { word.hasPrefix("-D\($0.name)=") }
        }
        return (kept + properties.map { "-D\($0.name)=\(Self.quoted($0.value))" }).joined(separator: " ")
    }

    /// The words as Java parts them: by blanks that stand in no quotes.
    private static func words(of text: String) -> [String] {
        var words = [""]
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character.isWhitespace {
                words.append("")
                continue
            }
            words[words.count - 1].append(character)
        }
        return words.filter { !$0.isEmpty }
    }

    private static func quoted(_ value: String) -> String {
        guard value.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "\"" }) else { return value }
        let quote = value.contains("\"") ? "'" : "\""
        return quote + value + quote
    }
}
