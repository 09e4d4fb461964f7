/// What the demo asks for, and what came of it.
enum DemoTable {
    /// One thing that is demanded.
    struct Request {
        let url: String
        let demanded: String
        /// What the server has to report that it was answered.
        let answer: String
    }

    /// One request and its response.
    struct Row {
        let request: Request
        let outcome: DemoClient.Outcome

        init(_ request: Request, _ outcome: DemoClient.Outcome) {
            self.request = request
            self.outcome = outcome
        }

        /// Whether the proxy did what it is there for.
        var isRight: Bool { outcome.status == 200 && outcome.answered == request.answer }

        fileprivate var cells: [String] {
            [
                request.url, request.demanded, outcome.answered ?? "-",
                outcome.status.map { "\($0)" } ?? outcome.problem, DemoTable.text(of: outcome.duration),
            ]
        }
    }

    /// In the order in which they are asked for.
    static let requests = [
        Request(url: "http://127.0.0.1:8401/open", demanded: "nothing", answer: "nothing"),
        Request(url: "http://127.0.0.1:8401/basic", demanded: "Basic", answer: "Basic"),
        Request(url: "http://127.0.0.1:8401/digest", demanded: "Digest MD5", answer: "Digest MD5"),
        Request(url: "http://127.0.0.1:8401/digest-sha256", demanded: "Digest SHA-256", answer: "Digest SHA-256"),
        Request(url: "http://127.0.0.1:8401/both", demanded: "Digest SHA-256 or Basic", answer: "Digest SHA-256"),
        Request(url: "http://parent.demo/", demanded: "Digest MD5 (parent proxy)", answer: "Digest MD5"),
    ]

    /// The table, a row a line.
    static func lines(of rows: [Row]) -> [String] {
        let table = [["request", "demanded", "answered", "status", "time"]] + rows.map(\.cells)
        let widths = (0..<5).map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { cells in
            zip(cells, widths).enumerated().map { column, cell in
                column == 4 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }.joined(separator: "  ")
        }
    }

    /// `1.2 ms`
    private static func text(of duration: Duration) -> String {
        let tenths = (duration / .milliseconds(0.1)).rounded()
        return "\(tenths / 10) ms"
    }
}
