/// OpenSSL's own `s_server`, which tells what it receives message by message; it asks each client for a certificate and
/// answers every request with a page of its own.
///
/// It serves one connection at a time.
package final class OpenSSLServer: Sendable {
    package let port: UInt16
    package let process: TestProcess

    /// Starts it with this certificate; `options` are those of the program besides.
    package init(_ leaf: TestAuthority.Leaf, _ options: [String] = []) throws {
        port = try FreePort.reserve()
        process = try TestProcess(
            "openssl",
            [
                "s_server", "-quiet", "-msg", "-www", "-accept", "127.0.0.1:\(port)", "-cert", leaf.certificate, "-key",
                leaf.key, "-verify", "1",
            ] + options
        )
        try waitUntilAccepting(port, of: process)
    }

    /// A place in what it has told.
    package var place: Int { process.outputBytes.count }

    /// What it has received since `place`: the names of handshake messages and alerts, and before them `data` or `alert` for
    /// each record of that type.
    package func received(since place: Int) -> [String] {
        let lines = String(decoding: process.outputBytes[place...], as: UTF8.self).split(separator: "\n")
        // In TLS 1.3 the type of a record is inside it [RFC 8446 s.5.2].
        let isInside = lines.contains { $0.hasPrefix(">>> TLS 1.3") && $0.hasSuffix("ServerHello") }
        return zip(lines, lines.dropFirst()).compactMap { line, bytes in
            guard line.hasPrefix("<<< ") else { return nil }
            let isHeader = line.contains("RecordHeader")
            if isHeader || line.contains("InnerContent") {
                if bytes.hasPrefix("    15") { return "alert" }
                return bytes.hasPrefix("    17") && !(isHeader && isInside) ? "data" : nil
            }
            guard line.contains(" Handshake ") || line.contains(" Alert ") else { return nil }
            return line.split(separator: ", ").last.map(String.init)
        }
    }
}
