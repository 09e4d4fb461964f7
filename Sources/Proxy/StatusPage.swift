internal import Bytes
internal import Crypto

/// The page on which operators see what the process does (O-2): one file that asks for `status.json` beside it and for
/// nothing else.
package enum StatusPage {
    /// Its bytes, in UTF-8.
    package static let bytes: [UInt8] = Array((head + style + body + script + end).utf8)

    /// What a browser may do with it: run its own script and style, and ask the server that it came from.
    package static let contentSecurityPolicy =
        "default-src 'none'; script-src '\(source(script))'; style-src '\(source(style))'; connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static let script = plots + "\n" + updates

    /// What stands in a policy for a text within the page [CSP3 2.3.1].
    private static func source(_ text: String) -> String {
        let digest = MessageDigest().digest(.sha256, of: Array(text.utf8).span)
        return "sha256-" + String(decoding: Base64.encode(digest.span), as: UTF8.self)
    }

    private static let head = #"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <meta name="color-scheme" content="light dark">
        <title>countersign</title>
        <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3C\#
        rect width='16' height='16' rx='4' fill='%230b63b0'/%3E%3Cpath d='M3 8l3 3 4-6M8.5 10.5l1 1 4-6' fill='none' \#
        stroke='%23fff' stroke-width='1.6' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E">
        <style>
        """#

    private static let body = #"""
        </style>
        </head>
        <body>
        <a class="skip" href="#main">To the content</a>
        <header>
        <h1><svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/><path \#
        d="M3 8l3 3 4-6M8.5 10.5l1 1 4-6"/></svg>countersign <span id="version"></span></h1>
        <p id="phase" class="pill">starting</p>
        <p id="freshness" role="status">asking …</p>
        <dl id="facts"></dl>
        </header>
        <main id="main" tabindex="-1">
        <noscript><p class="alert bad">This page needs JavaScript. Its values stand in \#
        <a href="status.json">status.json</a>, for a monitoring system in <a href="metrics">metrics</a>.</p></noscript>
        <div id="alerts" aria-live="polite"></div>
        <section id="withheld" aria-labelledby="withheld-title" hidden>
        <h2 id="withheld-title">Withheld credentials</h2>
        <p class="lead">A server refused what these stand for, so they are not sent again: another try might lock \#
        the account. Mend the secret, or release it once the cause is found.</p>
        <div class="withheld"></div>
        </section>
        <section aria-labelledby="now-title">
        <h2 id="now-title">Since the start</h2>
        <dl id="totals"></dl>
        </section>
        <section aria-labelledby="hour-title">
        <h2 id="hour-title">The last hour</h2>
        <p class="hint">Point at a plot, or move in it with the arrow keys, to read the values of a moment.</p>
        <div id="plots"></div>
        <details id="hour-values"><summary>The same as a table</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Values of the last hour"></div></details>
        </section>
        <section aria-labelledby="spaces-title">
        <h2 id="spaces-title">Protection spaces</h2>
        <div id="spaces"></div>
        </section>
        <section aria-labelledby="credentials-title">
        <h2 id="credentials-title">Credentials</h2>
        <div id="credentials"></div>
        </section>
        <section aria-labelledby="trust-title">
        <h2 id="trust-title">Trust in servers</h2>
        <div id="trust"></div>
        </section>
        <section aria-labelledby="ways-title">
        <h2 id="ways-title">Ways to upstreams</h2>
        <div id="ways"></div>
        </section>
        <section aria-labelledby="reasons-title">
        <h2 id="reasons-title">Failures by reason, since the start</h2>
        <div id="reasons"></div>
        </section>
        </main>
        <footer><p>The same for machines: <a href="status.json">status.json</a>, <a href="metrics">metrics</a> \#
        (OpenMetrics), <a href="healthz">healthz</a>, <a href="readyz">readyz</a>. Nothing can be changed from here; \#
        <code>countersign release NAME</code> and the rule file do that.</p></footer>
        <script>
        """#

    private static let end = "</script>\n</body>\n</html>\n"
}
