internal import Bytes
internal import HTTP
internal import Rules
internal import Telemetry

/// What can be looked at on the admin listener (O-2): nothing of it changes anything.
struct AdminResources {
    let source: StatusSource
    /// The names by which the page, its JSON and the metrics may be asked for.
    let hosts: [HostPattern]

    /// The response to a request.
    func respond(to head: borrowing RequestHead) -> AdminResponse {
        guard head.method == .get || head.method == .head else {
            return AdminResponse(405, "Nothing can be changed here.\n", fields: [("Allow", "GET, HEAD")])
        }
        let path = String(head.bytes(head.target.pathOnly))
        switch path {
        case "/healthz": return AdminResponse(200, "ok\n")
        case "/readyz": return readiness
        case "/metrics", "/", "/status.json": break
        default: return AdminResponse(404, "There is /, /status.json, /metrics, /healthz and /readyz.\n")
        }
        // Else a page elsewhere could have a browser read them under a name of its own that leads here.
        guard isAsked(byOwnName: head) else {
            return AdminResponse(421, "This name is none of 'admin.hosts', no address and not localhost.\n")
        }
        switch path {
        case "/metrics": return AdminResponse(OpenMetricsText.mediaType, source.report().openMetrics)
        case "/status.json": return AdminResponse("application/json", source.report().json)
        default: return AdminResponse(page: StatusPage.bytes, policy: StatusPage.contentSecurityPolicy)
        }
    }

    private var readiness: AdminResponse {
        let now = source.readiness.snapshot
        var text = now.phase.rawValue + "\n"
        if let problem = now.lastReload?.problem { text += "the last reload failed: \(problem)\n" }
        return AdminResponse(now.phase == .ready ? 200 : 503, text)
    }

    /// By the target's name, where it has one, and by that of Host [RFC 9112 s.3.2.2].
    private func isAsked(byOwnName head: borrowing RequestHead) -> Bool {
        guard let index = head.fields.first(.host), head.fields.next(.host, after: index) == nil else { return false }
        let value = head.fields.value(index)
        guard let authority = Authority.parse(value), isOwn(String(value.extracting(authority.host))) else {
            return false
        }
        return head.target.form == .origin || isOwn(String(head.bytes(head.target.host)))
    }

    private func isOwn(_ name: String) -> Bool {
        let host = Origin(scheme: .http, host: name, port: nil).host
        if IPAddress(host) != nil || host == "localhost" { return true }
        return hosts.contains { $0.matches(host: host, address: nil) }
    }
}

/// A response of the admin listener, without its framing.
struct AdminResponse {
    let status: UInt16
    let mediaType: String
    /// Further fields.
    let fields: [(name: String, value: String)]
    let content: [UInt8]

    /// A line or two.
    init(_ status: UInt16, _ text: String, fields: [(name: String, value: String)] = []) {
        self.status = status
        mediaType = "text/plain; charset=utf-8"
        self.fields = fields
        content = Array(text.utf8)
    }

    /// Data for a machine.
    init(_ mediaType: String, _ content: consuming ByteBuffer) {
        status = 200
        self.mediaType = mediaType
        fields = []
        self.content = [UInt8](content.readable)
    }

    /// The page.
    init(page: [UInt8], policy: String) {
        status = 200
        mediaType = "text/html; charset=utf-8"
        fields = [("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY")]
        content = page
    }

    /// Writes it; `isHeadOnly` leaves the content out [RFC 9110 s.9.3.2].
    func append(into buffer: inout ByteBuffer, closes: Bool, isHeadOnly: Bool) {
        HeadSerializer.appendStatusLine(status, into: &buffer)
        HeadSerializer.appendField("Content-Type", mediaType, into: &buffer)
        HeadSerializer.appendField("Cache-Control", "no-store", into: &buffer)
        HeadSerializer.appendField("X-Content-Type-Options", "nosniff", into: &buffer)
        HeadSerializer.appendField("Cross-Origin-Resource-Policy", "same-origin", into: &buffer)
        for field in fields { HeadSerializer.appendField(field.name, field.value, into: &buffer) }
        HeadSerializer.appendContentLength(UInt64(content.count), into: &buffer)
        if closes { HeadSerializer.appendField("Connection", "close", into: &buffer) }
        HeadSerializer.appendLineEnd(into: &buffer)
        if !isHeadOnly { buffer.append(content) }
    }
}
