internal import Bytes

/// Writes the parts of a Digest value that stay the same while a nonce is used, quoted as RFC 7616, section 3.4 has it.
struct DigestParameters {
    let challenge: DigestChallenge
    /// `username="…"` or `username*=…`.
    let usernameParameter: [UInt8]

    /// From the scheme to the quote that opens the uri.
    func beforeTarget(nonce: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 256)
        buffer.append("Digest ")
        buffer.append(usernameParameter)
        buffer.append(", realm=")
        QuotedString.append(challenge.realm.span, to: &buffer)
        buffer.append(", nonce=")
        QuotedString.append(nonce.span, to: &buffer)
        buffer.append(", uri=\"")
        return [UInt8](buffer.readable)
    }

    /// From the quote that closes the response to `nc=`; without qop to the end.
    ///
    /// Without qop there is neither nc nor cnonce [RFC 2069], but that a -sess key can't be checked without the cnonce.
    func behindResponse(cnonce: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 128)
        buffer.append("\"")
        if let spelling = challenge.algorithmSpelling {
            buffer.append(", algorithm=")
            buffer.append(spelling)
        }
        if challenge.qop != .none || challenge.isSession {
            buffer.append(", cnonce=")
            QuotedString.append(cnonce.span, to: &buffer)
        }
        if challenge.qop == .none {
            appendEnd(to: &buffer)
        } else {
            buffer.append(", nc=")
        }
        return [UInt8](buffer.readable)
    }

    /// From behind nc's digits to the end; empty without qop.
    var behindCount: [UInt8] {
        if challenge.qop == .none { return [] }
        var buffer = ByteBuffer(capacity: 128)
        buffer.append(", qop=")
        buffer.append(qopName)
        appendEnd(to: &buffer)
        return [UInt8](buffer.readable)
    }

    /// `:cnonce:qop:`, as a response's hash has it behind the count; empty without qop.
    func behindHashedCount(cnonce: [UInt8]) -> [UInt8] {
        if challenge.qop == .none { return [] }
        return Array(":".utf8) + cnonce + Array(":".utf8) + Array(qopName.utf8) + Array(":".utf8)
    }

    private var qopName: String { challenge.qop == .authInt ? "auth-int" : "auth" }

    private func appendEnd(to buffer: inout ByteBuffer) {
        if let opaque = challenge.opaque {
            buffer.append(", opaque=")
            QuotedString.append(opaque.span, to: &buffer)
        }
        if challenge.userhash { buffer.append(", userhash=true") }
    }
}
