internal import Bytes
package import HTTP

/// Whether a browser marked a request as coming from another site.
package enum CrossSite {
    /// True for `Sec-Fetch-Site: cross-site`, or without that field for an Origin of another host, but for a GET or
    /// HEAD that navigates to a document. Where a field comes more than once, each may mark the request and all must
    /// excuse it: which of them the browser wrote can't be told.
    ///
    /// `host` is the origin's, as `Origin` keeps it.
    package static func judge(_ head: borrowing RequestHead, host: String) -> Bool {
        guard head.fields.contains(.secFetchSite) || head.fields.contains(.origin) else { return false }
        guard isMarked(head, host) else { return false }
        let isRead = head.method == .get || head.method == .head
        return !(isRead && allEqual(head, .secFetchMode, "navigate") && allEqual(head, .secFetchDest, "document"))
    }

    private static func isMarked(_ head: borrowing RequestHead, _ host: String) -> Bool {
        if head.fields.contains(.secFetchSite) { return head.fields.hasToken(.secFetchSite, "cross-site") }
        var next = head.fields.first(.origin)
        while let index = next {
            if isForeign(head.fields.value(index), head, host) { return true }
            next = head.fields.next(.origin, after: index)
        }
        return false
    }

    /// Whether an Origin names another host than the target's; `null` does.
    private static func isForeign(_ value: Span<UInt8>, _ head: borrowing RequestHead, _ own: String) -> Bool {
        guard let start = schemeEnd(value) else { return true }
        guard let authority = Authority.parse(value.extracting(start..<value.count)) else { return true }
        let host = value.extracting(start..<value.count).extracting(authority.host)
        if ASCII.equalsIgnoringCase(host, own) { return false }
        // The target may spell it otherwise.
        return !ASCII.equalsIgnoringCase(host, head.bytes(head.target.host))
    }

    /// Where the authority of a serialised origin begins (RFC 6454 s.6.1).
    private static func schemeEnd(_ value: Span<UInt8>) -> Int? {
        var index = 0
        while index + 2 < value.count {
            if value[index] == UInt8(ascii: ":") && value[index + 1] == UInt8(ascii: "/")
                && value[index + 2] == UInt8(ascii: "/")
            {
                return index + 3
            }
            index += 1
        }
        return nil
    }

    private static func allEqual(_ head: borrowing RequestHead, _ name: FieldName, _ text: String) -> Bool {
        guard var index = head.fields.first(name) else { return false }
        while true {
            guard ASCII.equalsIgnoringCase(head.fields.value(index), text) else { return false }
            guard let following = head.fields.next(name, after: index) else { return true }
            index = following
        }
    }
}
