/// What stands between a socket and the bytes that its owner reads and writes: TLS.
package protocol StreamCipher: AnyObject {
    /// Bytes, or the end, have arrived that `read` has not given yet, though the socket may have no more.
    var hasPending: Bool { get }
    /// The last read could not go on before something was written.
    var readAwaitsRoom: Bool { get }

    /// Reads once, as much as `bytes` takes and is there.
    func read(into bytes: inout MutableSpan<UInt8>) -> ReadResult
    /// Writes as much of `bytes` as there is room for; what was not taken comes again with the next write.
    func write(_ bytes: Span<UInt8>) -> WriteResult
    /// What was taken by `write` has not all been sent yet.
    var hasUnsent: Bool { get }
    /// Sends what has not been sent yet, as far as there is room; false where the connection is broken.
    func flush() -> Bool
    /// Looks whether something waits to be read, without reading it.
    func peek() -> StreamSocket.Peek
    /// Tells the other side that nothing more comes, as far as there is room.
    func endWriting()
}
