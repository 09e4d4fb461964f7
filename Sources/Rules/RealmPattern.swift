/// Which realms a rule is about; compared byte for byte after unquoting [RFC 9110 s.11.5].
package enum RealmPattern: Hashable, Sendable {
    /// Any realm, and a challenge without one.
    case any
    /// One of these; the empty realm is a realm, and not the absent one.
    case oneOf([[UInt8]])
    /// Any realm that begins so.
    case prefix([UInt8])

    /// Whether a challenge with this realm (nil: without one) is meant.
    package func matches(_ realm: [UInt8]?) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let realms): realm.map { realms.contains($0) } ?? false
        case .prefix(let prefix): realm?.starts(with: prefix) ?? false
        }
    }

    /// Whether every realm that the other pattern matches is matched by this one, too.
    package func covers(_ other: RealmPattern) -> Bool {
        switch (self, other) {
        case (.any, _): true
        case (_, .any): false
        case (_, .oneOf(let inner)): inner.allSatisfy { matches($0) }
        case (.prefix(let prefix), .prefix(let inner)): inner.starts(with: prefix)
        case (.oneOf, .prefix): false
        }
    }
}
