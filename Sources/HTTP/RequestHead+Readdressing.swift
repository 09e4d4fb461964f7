extension RequestHead {
    /// Puts the target into absolute-form: `base`, a scheme and an authority, then `prefix`, then the path that it has.
    ///
    /// For a request that names the server that it is for elsewhere than in its target [RFC 9110 s.7.1]; fields stay.
    /// A target without a path keeps having none, so that `OPTIONS *` stays one [RFC 9112 s.3.2.4]. False, and nothing
    /// changed, where there is no such target.
    package mutating func readdress(to base: Span<UInt8>, prefix: Span<UInt8>) -> Bool {
        let path = target.form == .asterisk ? 0..<0 : target.path
        var written: [UInt8] = []
        written.reserveCapacity(methodCount + 1 + base.count + prefix.count + path.count + 1)
        for index in 0..<methodCount { written.append(line[index]) }
        written.append(.space)
        for index in base.indices { written.append(base[index]) }
        if target.form != .asterisk {
            for index in prefix.indices { written.append(prefix[index]) }
            if !prefix.isEmpty, path.isEmpty || line[path.lowerBound] != .slash { written.append(.slash) }
        }
        for index in path { written.append(line[index]) }
        let range = (methodCount + 1)..<written.count
        guard let read = RequestTarget.parse(written.span, in: range, method: method) else { return false }
        replaceLine(written, read)
        return true
    }
}
