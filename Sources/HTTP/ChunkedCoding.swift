package import Bytes

/// Writes the chunked transfer coding [RFC 9112 s.7.1].
package enum ChunkedCoding {
    /// The most bytes that a chunk header takes.
    package static let longestChunkHeader = 18

    /// Appends the line before a chunk's data; a size of 0 would end the body and is a precondition failure.
    package static func appendChunkHeader(size: Int, into buffer: inout ByteBuffer) {
        precondition(size > 0, "a chunk of size 0 is the last one")
        buffer.append(hex: UInt64(size))
        buffer.append("\r\n")
    }

    /// Appends what stands behind a chunk's data.
    package static func appendChunkEnd(into buffer: inout ByteBuffer) {
        buffer.append("\r\n")
    }

    /// Appends the last chunk without trailers.
    package static func appendLastChunk(into buffer: inout ByteBuffer) {
        buffer.append("0\r\n\r\n")
    }

    /// Appends the last chunk and those of the trailers whose names are neither in `excluded` nor one of `names`.
    package static func appendLastChunk(
        trailers: Fields,
        except excluded: FieldNameSet = FieldNameSet(),
        names: [String] = [],
        into buffer: inout ByteBuffer
    ) {
        buffer.append("0\r\n")
        HeadSerializer.appendFields(trailers, except: excluded, names: names, into: &buffer)
        buffer.append("\r\n")
    }
}
