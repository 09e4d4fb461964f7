import Support

extension ScriptedPeer {
    /// Its host and port, as a target names them.
    var authority: String { "127.0.0.1:\(port)" }
    /// Its root, as an absolute target.
    var url: String { "http://\(authority)" }
}

extension RunningProxy {
    /// Rules that send everything through a parent proxy on that port.
    static func through(_ parent: UInt16, _ more: String = "") -> String {
        """
        proxies: { upper: { url: "http://127.0.0.1:\(parent)" } }
        routes: [{ host: "*", via: upper }]
        \(more)
        """
    }
}

/// A request as text: its first line, `fields` as whole lines, its body.
func request(_ line: String, _ fields: [String] = [], body: String = "") -> String {
    ([line] + fields + ["", body]).joined(separator: "\r\n")
}

extension MessageBody {
    /// The bytes as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
