import Bytes
import HTTP

/// A parsed request; `lines` stand behind the request line, Host among them.
func requestHead(_ line: String, _ lines: [String] = ["Host: a.test"]) -> RequestHead {
    var head = RequestHead()
    let bytes = Array(([line] + lines + ["", ""]).joined(separator: "\r\n").utf8)
    _ = head.parse(bytes.span, limits: Limits())
    return head
}

/// A parsed response.
func responseHead(_ line: String, _ lines: [String] = [], to method: HTTPMethod = .get) -> ResponseHead {
    var head = ResponseHead()
    let bytes = Array(([line] + lines + ["", ""]).joined(separator: "\r\n").utf8)
    _ = head.parse(bytes.span, limits: Limits(), requestMethod: method)
    return head
}

/// What was written.
func written(_ write: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer()
    write(&buffer)
    return String(buffer.readable)
}
