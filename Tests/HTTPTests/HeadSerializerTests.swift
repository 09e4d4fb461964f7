import Bytes
import Testing

@testable import HTTP

@Suite struct HeadSerializerTests {
    static func text(_ fields: Fields, except excluded: FieldNameSet = [], hops: Bool = false) -> String {
        var buffer = ByteBuffer()
        HeadSerializer.appendFields(
            fields,
            except: excluded,
            options: hops ? ConnectionOptions(fields) : nil,
            into: &buffer
        )
        return String(buffer.readable)
    }

    @Test("start-lines are written with 1.1")
    func startLines() {
        var buffer = ByteBuffer()
        HeadSerializer.appendRequestLine(method: Array("GET".utf8).span, target: Array("/a".utf8).span, into: &buffer)
        HeadSerializer.appendMethod(Array("PUT".utf8).span, into: &buffer)
        buffer.append("/b")
        HeadSerializer.appendRequestLineEnd(into: &buffer)
        HeadSerializer.appendStatusLine(407, into: &buffer)
        HeadSerializer.appendStatusLine(299, reason: Array("Odd".utf8).span, into: &buffer)
        HeadSerializer.appendField("A", "b", into: &buffer)
        HeadSerializer.appendField(.host, Array("h".utf8).span, into: &buffer)
        HeadSerializer.appendContentLength(12, into: &buffer)
        HeadSerializer.appendLineEnd(into: &buffer)
        let written = String(buffer.readable)
        #expect(
            written == "GET /a HTTP/1.1\r\nPUT /b HTTP/1.1\r\nHTTP/1.1 407 Proxy Authentication Required\r\n"
                + "HTTP/1.1 299 Odd\r\nA: b\r\nHost: h\r\nContent-Length: 12\r\n\r\n"
        )
    }

    @Test("H-4 field lines are written anew, however they came")
    func anew() {
        var head = ResponseHead()
        let bytes = Array(
            "HTTP/1.1 200 OK\nA:b\r\nC: d\r\nE:  f \r\nG : h\r\nI: j\r\n k\nL:\r\nM: \r\nN: o\r\n\r\n".utf8
        )
        _ = head.parse(bytes.span, limits: Limits(), requestMethod: .get)
        let written = Self.text(head.fields)
        #expect(written == "A: b\r\nC: d\r\nE: f\r\nG: h\r\nI: j   k\r\nL: \r\nM: \r\nN: o\r\n")
    }

    @Test("H-3 excluded and nominated fields are left out, wherever they stand")
    func leftOut() {
        let fields = FieldsTests.fields([
            ("Host", "h"), ("X-Hop", "1"), ("Accept", "a"), ("Connection", "x-hop, te"), ("TE", "gzip"), ("Via", "v"),
            ("X-Hop", "2"),
        ])
        #expect(
            Self.text(fields)
                == "Host: h\r\nX-Hop: 1\r\nAccept: a\r\nConnection: x-hop, te\r\nTE: gzip\r\nVia: v\r\nX-Hop: 2\r\n"
        )
        #expect(Self.text(fields, except: [.host, .connection], hops: true) == "Accept: a\r\nVia: v\r\n")
        #expect(
            Self.text(fields, except: [.host, .via])
                == "X-Hop: 1\r\nAccept: a\r\nConnection: x-hop, te\r\nTE: gzip\r\nX-Hop: 2\r\n"
        )
        #expect(Self.text(Fields()) == "")
    }

    @Test("fields added to a head that was read are written behind it")
    func added() {
        var head = RequestHead()
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nA:b\r\n\r\n".utf8)
        _ = head.parse(bytes.span, limits: Limits())
        head.fields.append("C", "d")
        #expect(Self.text(head.fields) == "Host: h\r\nA: b\r\nC: d\r\n")
    }
}
