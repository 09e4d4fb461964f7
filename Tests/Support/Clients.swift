/// Real clients; they know a proxy at most, and nothing of authentication unless `arguments` say so.
package enum Client: String, CaseIterable, Sendable {
    case curl
    case wget
    case urllib

    /// What a client got.
    package struct Outcome: Sendable {
        /// The status of the last response, 0 when there was none.
        package let status: Int
        package let body: String
        /// What the client said beside.
        package let words: String
    }

    /// Gets `url`, through `proxy` where there is one; `arguments` are the client's own.
    package func get(_ url: String, proxy: UInt16? = nil, _ arguments: [String] = []) throws -> Outcome {
        let proxyURL = proxy.map { "http://127.0.0.1:\($0)" }
        switch self {
        case .curl:
            let through = proxyURL.map { ["--proxy", $0] } ?? []
            let fixed = [
                "--silent", "--show-error", "--max-time", "30", "--write-out", "%{stderr}\nstatus %{http_code}\n",
            ]
            return try run("curl", fixed + through + arguments + [url])
        case .wget:
            let through = proxyURL.map { ["-e", "use_proxy=yes", "-e", "http_proxy=\($0)"] } ?? ["--no-proxy"]
            let fixed = [
                "--no-config", "--tries=1", "--timeout=30", "--server-response", "--content-on-error", "-O", "-",
            ]
            return try run("wget", fixed + through + arguments + [url])
        case .urllib:
            return try run(HTTPBin.python(), ["-c", Client.urllibProgram, url, proxyURL ?? ""] + arguments)
        }
    }

    private static let urllibProgram = """
        import sys, urllib.request, urllib.error
        url, proxy = sys.argv[1:3]
        handler = urllib.request.ProxyHandler({"http": proxy} if proxy else {})
        try:
            response = urllib.request.build_opener(handler).open(url, timeout=30)
        except urllib.error.HTTPError as error:
            response = error
        sys.stdout.buffer.write(response.read())
        print("status", response.status, file=sys.stderr)
        """

    private func run(_ program: String, _ arguments: [String]) throws -> Outcome {
        let process = try TestProcess(program, arguments)
        _ = try process.waitForExit(within: .seconds(60))
        let words = process.errors
        let statuses = words.split(separator: "\n").compactMap { line -> Int? in
            let parts = line.split(separator: " ")
            guard parts.count >= 2, parts[0] == "status" || parts[0].hasPrefix("HTTP/") else { return nil }
            return Int(parts[1])
        }
        return Outcome(status: statuses.last ?? 0, body: process.output, words: words)
    }
}
