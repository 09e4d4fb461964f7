package import Bytes

/// Writes heads; which fields go into one is the caller's matter.
package enum HeadSerializer {
    /// Appends `method target HTTP/1.1` CRLF [RFC 9112 s.3].
    package static func appendRequestLine(method: Span<UInt8>, target: Span<UInt8>, into buffer: inout ByteBuffer) {
        buffer.append(method)
        buffer.append(UInt8.space)
        buffer.append(target)
        buffer.append(" HTTP/1.1\r\n")
    }

    /// Appends the start of a request line for a target that the caller appends itself: method and a space.
    package static func appendMethod(_ method: Span<UInt8>, into buffer: inout ByteBuffer) {
        buffer.append(method)
        buffer.append(UInt8.space)
    }

    /// Appends what ends a request line: a space, the version and CRLF.
    package static func appendRequestLineEnd(into buffer: inout ByteBuffer) {
        buffer.append(" HTTP/1.1\r\n")
    }

    /// Appends `HTTP/1.1 status reason` CRLF [RFC 9112 s.4].
    package static func appendStatusLine(_ status: UInt16, reason: Span<UInt8>, into buffer: inout ByteBuffer) {
        buffer.append("HTTP/1.1 ")
        buffer.append(decimal: UInt64(status))
        buffer.append(UInt8.space)
        buffer.append(reason)
        appendLineEnd(into: &buffer)
    }

    /// Appends a status line with the usual reason phrase.
    package static func appendStatusLine(_ status: UInt16, into buffer: inout ByteBuffer) {
        let reason = HTTPStatus.reason(status).utf8
        appendStatusLine(status, reason: reason.span, into: &buffer)
    }

    /// Appends a field line; neither part may hold CR, LF or NUL.
    package static func appendField(name: Span<UInt8>, value: Span<UInt8>, into buffer: inout ByteBuffer) {
        buffer.append(name)
        buffer.append(": ")
        buffer.append(value)
        appendLineEnd(into: &buffer)
    }

    /// Appends a field line; the value may not hold CR, LF or NUL.
    package static func appendField(_ name: FieldName, _ value: Span<UInt8>, into buffer: inout ByteBuffer) {
        let text = name.text.utf8
        appendField(name: text.span, value: value, into: &buffer)
    }

    /// Appends a field line; neither part may hold CR, LF or NUL.
    package static func appendField(_ name: String, _ value: String, into buffer: inout ByteBuffer) {
        let nameBytes = name.utf8
        let valueBytes = value.utf8
        appendField(name: nameBytes.span, value: valueBytes.span, into: &buffer)
    }

    /// Appends Content-Length.
    package static func appendContentLength(_ length: UInt64, into buffer: inout ByteBuffer) {
        buffer.append("Content-Length: ")
        buffer.append(decimal: length)
        appendLineEnd(into: &buffer)
    }

    /// Appends the field lines whose names are not in `excluded`, written anew, in their order.
    ///
    /// With `options`, those that the message's Connection field nominates are left out too, and so are those with one of
    /// `names`, in any case. Lines that lie in the store
    /// as they would be written go in one copy.
    package static func appendFields(
        _ fields: Fields,
        except excluded: FieldNameSet,
        options: ConnectionOptions? = nil,
        names: [String] = [],
        into buffer: inout ByteBuffer
    ) {
        let dropped = options.map { excluded.union($0.nominated) } ?? excluded
        let checksOthers = options?.nominatesOthers ?? false
        var run = 0..<0
        for index in fields.entries.indices {
            let entry = fields.entries[index]
            let isDropped =
                dropped.contains(entry.name)
                || checksOthers && entry.name == .other && ConnectionOptions.nominates(fields, fields.nameBytes(index))
                || !names.isEmpty && Self.isNamed(fields.nameBytes(index), by: names)
            if isDropped { continue }
            let line = Int(entry.nameStart)..<(Int(entry.valueEnd) &+ 2)
            if entry.isWrittenOut && line.lowerBound == run.upperBound {
                run = run.lowerBound..<line.upperBound
                continue
            }
            buffer.append(fields.store.span.extracting(run))
            run = entry.isWrittenOut ? line : 0..<0
            if !entry.isWrittenOut {
                appendField(name: fields.nameBytes(index), value: fields.value(index), into: &buffer)
            }
        }
        buffer.append(fields.store.span.extracting(run))
    }

    private static func isNamed(_ name: Span<UInt8>, by names: [String]) -> Bool {
        for text in names {
            let utf8 = text.utf8
            if ByteClass.equalsIgnoringCase(name, utf8.span) { return true }
        }
        return false
    }

    /// Appends CRLF; behind the last field line it ends the head.
    package static func appendLineEnd(into buffer: inout ByteBuffer) {
        buffer.append("\r\n")
    }
}
