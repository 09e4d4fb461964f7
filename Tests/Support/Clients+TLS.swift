/// Real clients of a server behind TLS; they are told a proxy and an authority in the way that README shows, and know
/// nothing of authentication.
package enum TrustingClient: String, CaseIterable, Sendable {
    case curl
    case wget
    case urllib
    case requests
    case node
    case java

    /// Gets `url` through the proxy at `proxy`, trusting the authority in the file `anchor`; gives the body of a 200.
    package func get(_ url: String, proxy: UInt16, trusting anchor: String) throws -> String {
        switch self {
        case .curl: try run("curl", ["-sS", "--fail", "--max-time", "30", url], proxy, ["CURL_CA_BUNDLE": anchor])
        case .wget:
            try run("wget", ["--no-config", "--tries=1", "-nv", "-O", "-", "--ca-certificate", anchor, url], proxy)
        case .urllib:
            try run(HTTPBin.python(), ["-c", Self.urllibProgram, url], proxy, ["SSL_CERT_FILE": anchor])
        case .requests:
            try run(HTTPBin.python(), ["-c", Self.requestsProgram, url], proxy, ["REQUESTS_CA_BUNDLE": anchor])
        case .node: try run("node", ["-e", Self.nodeProgram, url], proxy, ["NODE_EXTRA_CA_CERTS": anchor])
        case .java: try runJava(url, proxy, anchor)
        }
    }

    /// The variables by which most programs learn of a proxy.
    package static func environment(proxy: UInt16) -> [String: String] {
        ["https_proxy": "http://127.0.0.1:\(proxy)", "HTTPS_PROXY": "http://127.0.0.1:\(proxy)"]
    }

    private func run(
        _ program: String,
        _ arguments: [String],
        _ proxy: UInt16,
        _ environment: [String: String] = [:]
    ) throws -> String {
        let variables = Self.environment(proxy: proxy).merging(environment) { $1 }
        let process = try TestProcess(program, arguments, environment: variables)
        guard try process.waitForExit(within: .seconds(60)) == .status(0) else {
            throw TestFailure("\(rawValue): \(process.output)\(process.errors)")
        }
        return process.output
    }

    private func runJava(_ url: String, _ proxy: UInt16, _ anchor: String) throws -> String {
        let folder = try ScratchFolder("java")
        let store = folder("trust.p12")
        let tool = ["-importcert", "-noprompt", "-alias", "countersign", "-file", anchor, "-keystore", store]
        _ = try run("keytool", tool + ["-storepass", "changeit"], proxy)
        let properties = [
            "javax.net.ssl.trustStore=\(store)", "javax.net.ssl.trustStorePassword=changeit",
            "https.proxyHost=127.0.0.1", "https.proxyPort=\(proxy)",
            // Without it a loopback address goes past every proxy.
            "http.nonProxyHosts=",
        ]
        let source = try folder.write(Self.javaProgram, to: "Get.java")
        return try run("java", properties.map { "-D\($0)" } + [source, url], proxy)
    }

    private static let urllibProgram = """
        import sys, urllib.request
        sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], timeout=30).read())
        """

    private static let requestsProgram = """
        import sys, requests
        answer = requests.get(sys.argv[1], timeout=30)
        answer.raise_for_status()
        sys.stdout.buffer.write(answer.content)
        """

    /// Node's own https knows of no proxy: its CONNECT is the program's.
    private static let nodeProgram = """
        const http = require("http"), https = require("https");
        const url = new URL(process.argv[1]), proxy = new URL(process.env.HTTPS_PROXY);
        const options = { host: proxy.hostname, port: proxy.port, method: "CONNECT", path: url.host };
        http.request(options).on("connect", (answer, socket) => {
            if (answer.statusCode !== 200) throw new Error(`CONNECT: ${answer.statusCode}`);
            https.get(url, { socket, agent: false }, (response) => {
                process.exitCode = response.statusCode === 200 ? 0 : 1;
                response.pipe(process.stdout);
                response.on("end", () => socket.destroy());
            });
        }).end();
        """

    private static let javaProgram = """
        import java.net.URI;
        import java.net.http.HttpClient;
        import java.net.http.HttpRequest;
        import java.net.http.HttpResponse.BodyHandlers;

        class Get {
            public static void main(String[] arguments) throws Exception {
                var request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
                var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
                System.out.print(response.body());
                if (response.statusCode() != 200) System.exit(1);
            }
        }
        """
}
