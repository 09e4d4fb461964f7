import COpenSSL
import Testing
import Trust

@testable import TLS

struct ClientHelloTests {
    /// What OpenSSL says first, with a name and protocols.
    private func hello(name: String?, protocols: [String]) -> [UInt8] {
        let context = unsafe SSL_CTX_new(TLS_client_method())
        let ssl = unsafe SSL_new(context)!
        if let name { _ = unsafe COpenSSL_SSL_set_tlsext_host_name(ssl, name) }
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !list.isEmpty { unsafe SSL_set_alpn_protos(ssl, list, UInt32(list.count)) }
        let output = unsafe BIO_new(BIO_s_mem())
        unsafe SSL_set_bio(ssl, BIO_new(BIO_s_mem()), output)
        unsafe SSL_set_connect_state(ssl)
        unsafe SSL_do_handshake(ssl)
        ERR_clear_error()
        var data: UnsafeMutablePointer<CChar>?
        let count = unsafe COpenSSL_BIO_get_mem_data(output, &data)
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: data, count: count))
        unsafe SSL_free(ssl)
        unsafe SSL_CTX_free(context)
        return bytes
    }

    private func read(_ bytes: some Sequence<UInt8>) -> ClientHello.Reading { ClientHello.read(Array(bytes).span) }

    @Test("I-3 the name and the protocols of a ClientHello are read from its first bytes")
    func contents() throws {
        guard case .complete(let full) = read(hello(name: "Origin.Example.test", protocols: ["h2", "http/1.1"])) else {
            throw Unexpected("not read")
        }
        #expect(full.serverName == "origin.example.test")
        #expect(full.protocols == [Array("h2".utf8), Array("http/1.1".utf8)])
        #expect(full.takesHTTP1)
        guard case .complete(let bare) = read(hello(name: nil, protocols: [])) else { throw Unexpected("not read") }
        #expect(bare.serverName == nil)
        #expect(bare.protocols == nil)
        #expect(bare.takesHTTP1)
        guard case .complete(let other) = read(hello(name: nil, protocols: ["h2"])) else {
            throw Unexpected("not read")
        }
        #expect(!other.takesHTTP1)
    }

    @Test("I-3 a ClientHello that hasn't come whole is waited for, byte by byte and record by record")
    func parts() {
        let whole = hello(name: "origin.example.test", protocols: ["http/1.1"])
        for count in whole.indices { #expect(read(whole[..<count]) == .incomplete(needs: count < 5 ? 5 : whole.count)) }
        let complete = read(whole)
        #expect(read(whole + [1, 2, 3]) == complete)
        let body = whole[5...]
        let first = body.prefix(3)
        let second = body.dropFirst(3)
        let split =
            [22, 3, 1, 0, 3] + first + [22, 3, 3, UInt8(second.count >> 8), UInt8(second.count & 255)] + second
        #expect(read(split) == complete)
        for count in split.indices {
            let needs = count < 5 ? 5 : count < 8 ? 8 : count < 13 ? 13 : split.count
            #expect(read(split[..<count]) == .incomplete(needs: needs))
        }
    }

    @Test("S-2 a ClientHello in ever so many records is something else")
    func pieces() {
        let body = hello(name: "origin.example.test", protocols: ["http/1.1"]).dropFirst(5)
        let pieces: [UInt8] = body.reduce(into: []) { $0 += [22, 3, 1, 0, 1, $1] }
        #expect(read(pieces) == .other)
    }

    @Test(
        "I-3 anything else is something else",
        arguments: ["GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n", "\u{16}\u{2}", "\u{17}\u{3}\u{3}"]
    )
    func other(text: String) {
        #expect(read(text.utf8) == .other)
    }

    @Test("I-3 a broken ClientHello is something else, and none of its bytes is believed")
    func broken() {
        let whole = hello(name: "origin.example.test", protocols: ["http/1.1"])
        // Another message, an empty record, one too long, a message too long.
        #expect(read([22, 3, 1, 0, 5, 2]) == .other)
        #expect(read([22, 3, 1, 0, 0]) == .other)
        #expect(read([22, 3, 1, 0xff, 0xff]) == .other)
        #expect(read([22, 3, 1, 0, 4, 1, 1, 0, 0]) == .other)
        // Every length changed: it may be another hello or none, but it is read without a trap.
        for index in whole.indices {
            for value in [UInt8(0), 1, 0x7f, 0xff] {
                var bytes = whole
                bytes[index] = value
                _ = read(bytes)
            }
        }
        // A body that ends within its extensions.
        var short = whole
        short.removeLast(3)
        let count = short.count - 5
        short[3] = UInt8(count >> 8)
        short[4] = UInt8(count & 255)
        short[7] = UInt8((count - 4) >> 8)
        short[8] = UInt8((count - 4) & 255)
        #expect(read(short) == .other)
    }
}
