import Support
import Testing

/// Every challenge of the table through the whole proxy.
@Suite struct ChallengeShapeTests {
    /// Origins that challenge with a row, and whatever they were answered.
    private func answers(to rows: [ChallengeField], isProxy: Bool) throws -> [(status: Int, value: String?)] {
        let peers = try rows.map { row in
            try ScriptedPeer { request in
                if request[isProxy ? "Proxy-Authorization" : "Authorization"] != nil { return [.response(body: "in")] }
                return [.sendBytes(refusal(row, isProxy: isProxy))]
            }
        }
        // A credential for each row, so that no verdict on one keeps another from being answered.
        let names = rows.indices.map { "c\($0)" }
        let credentials = names.map { "  \($0): { username: user, password: { file: secret } }" }
        // The table says what is read; what begins a handshake stands in other tests.
        let methods = "method: [digest, basic]"
        let rules = zip(names, peers).map { name, peer in
            isProxy
                ? "  \(name): { url: \"http://127.0.0.1:\(peer.port)\", use: \(name), \(methods) }"
                : "  - { space: { host: 127.0.0.1, port: \(peer.port), \(methods) }, use: \(name) }"
        }
        let routes = names.map { "  - { host: \($0).example, via: \($0) }" }
        let uses: [[String]] = isProxy ? [["proxies:"], rules, ["routes:"], routes] : [["rules:"], rules]
        let sections: [String] = (["credentials:"] + credentials) + uses.flatMap(\.self)
        let proxy = try RunningProxy(
            sections.joined(separator: "\n"),
            workers: 2,
            files: ["secret": "pass"]
        )
        return try zip(names, peers).map { name, peer in
            let url = isProxy ? "http://\(name).example/" : "http://127.0.0.1:\(peer.port)/"
            let status = try proxy.get(url).status
            let field = isProxy ? "Proxy-Authorization" : "Authorization"
            return (status, peer.requests.compactMap { $0[field] }.last)
        }
    }

    @Test(
        "A-2 every shape of WWW-Authenticate is answered as the table says",
        arguments: batches(of: ChallengeField.allVariants)
    )
    func origin(_ rows: Batch) throws {
        for (row, answer) in zip(rows.rows, try answers(to: rows.rows, isProxy: false)) {
            check(row, answer, refused: 401)
        }
    }

    @Test(
        "A-2 every Basic shape is answered as Proxy-Authenticate too",
        arguments: batches(of: ChallengeField.allVariants.filter { $0.isBasic || $0.isProxy })
    )
    func parent(_ rows: Batch) throws {
        for (row, answer) in zip(rows.rows, try answers(to: rows.rows, isProxy: true)) {
            check(row, answer, refused: 502)
        }
    }

    private func check(_ row: ChallengeField, _ answer: (status: Int, value: String?), refused: Int) {
        guard let expected = row.answer else {
            #expect(answer.status == refused, "\(row)")
            #expect(answer.value == nil, "\(row)")
            return
        }
        #expect(answer.status == 200, "\(row)")
        guard let value = answer.value else {
            Issue.record("\(row) isn't answered")
            return
        }
        #expect(value.hasPrefix("\(expected.scheme) "), "\(row): \(value)")
        // RFC 7617 section 2: user:pass.
        if expected.scheme == "Basic" { #expect(value == "Basic dXNlcjpwYXNz", "\(row)") }
        for echoed in expected.echoed where echoed.allSatisfy({ $0 < 0x80 }) {
            #expect(contains(value, String(decoding: echoed, as: UTF8.self)), "\(row): \(value)")
        }
        for name in expected.absent { #expect(!contains(value, ", \(name)="), "\(row): \(value)") }
    }
}

private func refusal(_ row: ChallengeField, isProxy: Bool) -> [UInt8] {
    var bytes = Array("HTTP/1.1 \(isProxy ? 407 : 401) Scripted\r\n".utf8)
    for value in row.values {
        bytes += Array("\(isProxy ? "Proxy" : "WWW")-Authenticate: ".utf8) + value + Array("\r\n".utf8)
    }
    return bytes + Array("Content-Length: 0\r\n\r\n".utf8)
}

private func contains(_ text: String, _ part: String) -> Bool {
    let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
    return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
}

/// Rows that share a proxy, so that a test of them is quick.
struct Batch: Sendable, CustomTestStringConvertible {
    let rows: [ChallengeField]
    var testDescription: String { "\(rows.first?.id ?? "") to \(rows.last?.id ?? "")" }
}

private func batches(of rows: [ChallengeField]) -> [Batch] {
    stride(from: 0, to: rows.count, by: 20).map { Batch(rows: Array(rows[$0..<min($0 + 20, rows.count)])) }
}
