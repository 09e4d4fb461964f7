/// What a message's Connection field says; making one allocates nothing [RFC 9110 s.7.6.1].
package struct ConnectionOptions: Equatable, Sendable {
    /// Whether `close` is among the options.
    package private(set) var closes = false
    /// Whether `keep-alive` is among the options.
    package private(set) var keepsAlive = false
    /// The known fields that are nominated as hop-by-hop.
    package private(set) var nominated = FieldNameSet()
    /// Whether an option may nominate a field that `FieldName` doesn't list.
    package private(set) var nominatesOthers = false

    /// The options of `fields`.
    package init(_ fields: Fields) {
        guard var line = fields.first(.connection) else { return }
        while true {
            let value = fields.value(line)
            var index = 0
            while let element = FieldList.next(in: value, from: &index) { take(value.extracting(element)) }
            guard let following = fields.next(.connection, after: line) else { return }
            line = following
        }
    }

    private mutating func take(_ option: Span<UInt8>) {
        let name = FieldName.of(option)
        guard name == .other else {
            nominated.insert(name)
            if name == .keepAlive { keepsAlive = true }
            return
        }
        let close = "close".utf8
        if ByteClass.equalsIgnoringCase(option, close.span) {
            closes = true
        } else {
            nominatesOthers = true
        }
    }

    /// Whether Connection says `close`.
    package static func closes(_ fields: Fields) -> Bool { ConnectionOptions(fields).closes }

    /// Whether Connection says `keep-alive`.
    package static func keepsAlive(_ fields: Fields) -> Bool { ConnectionOptions(fields).keepsAlive }

    /// Whether Connection nominates the field named `name`, whatever its case.
    package static func nominates(_ fields: Fields, _ name: Span<UInt8>) -> Bool {
        guard var line = fields.first(.connection) else { return false }
        while true {
            let value = fields.value(line)
            var index = 0
            while let element = FieldList.next(in: value, from: &index) {
                if ByteClass.equalsIgnoringCase(value.extracting(element), name) { return true }
            }
            guard let following = fields.next(.connection, after: line) else { return false }
            line = following
        }
    }
}

extension Fields {
    /// Whether the connection outlives this message as far as its sender says [RFC 9112 s.9.3].
    package func keepsConnection(_ version: HTTPVersion) -> Bool {
        guard contains(.connection) else { return version == .http11 }
        let options = ConnectionOptions(self)
        return !options.closes && (version == .http11 || options.keepsAlive)
    }
}
