internal import Bytes
package import HTTP

/// Whether a browser marked a request as coming from another site.
package enum CrossSite {
    /// True for `Sec-Fetch-Site: cross-site`, or without that field for an Origin of another host, but for a GET or
    /// HEAD that navigates to a document.
    package static func judge(_ head: borrowing RequestHead) -> Bool {
        guard head.fields.contains(.secFetchSite) || head.fields.contains(.origin) else { return false }
        guard isMarked(head) else { return false }
        let isRead = head.method == .get || head.method == .head
        return !(isRead && equals(head, .secFetchMode, "navigate") && equals(head, .secFetchDest, "document"))
    }

    private static func isMarked(_ head: borrowing RequestHead) -> Bool {
        if head.fields.contains(.secFetchSite) { return equals(head, .secFetchSite, "cross-site") }
        guard let index = head.fields.first(.origin) else { return false }
        let value = head.fields.value(index)
        guard let start = schemeEnd(value) else { return true }
        guard let authority = Authority.parse(value.extracting(start..<value.count)) else { return true }
        let host = value.extracting(start..<value.count).extracting(authority.host)
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

    private static func equals(_ head: borrowing RequestHead, _ name: FieldName, _ text: String) -> Bool {
        guard let index = head.fields.first(name) else { return false }
        return ASCII.equalsIgnoringCase(head.fields.value(index), text)
    }
}
