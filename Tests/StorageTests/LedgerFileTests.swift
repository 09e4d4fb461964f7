import Authentication
import Testing

@testable import Storage

struct LedgerFileTests {
    let salt = [UInt8](0..<16)
    let one = SecretFingerprint(bits: 1)
    let two = SecretFingerprint(bits: 65535)

    func rejection(_ server: String, since: Int64 = 100, until: Int64? = nil) -> LedgerChange {
        .rejected(server: server, target: "\(server)/x y/", since: since, until: until)
    }

    @Test("A-7b the text of a file has a line for each thing that is known")
    func text() {
        var file = LedgerFile(salt: salt)
        file.apply(.confirmed(server: "origin http://a:80"), name: "staff", fingerprint: one, unixSeconds: 5)
        file.apply(rejection("proxy http://p:3128"), name: "staff", fingerprint: one, unixSeconds: 6)
        file.apply(rejection("origin http://a:80", until: 400), name: "é-%", fingerprint: two, unixSeconds: 7)
        let expected = """
            countersign-ledger 1
            salt 000102030405060708090a0b0c0d0e0f
            credential staff 1 6
            confirmed
            doubted 100 - proxy%20http://p:3128 proxy%20http://p:3128/x%20y/
            credential %c3%a9-%25 65535 7
            rejected 1 100 400 origin%20http://a:80
            end

            """
        #expect(String(decoding: file.text, as: UTF8.self) == expected)
        #expect(LedgerFile(text: Array(expected.utf8)) == file)
    }

    @Test(
        "A-7b every name, also an odd one, is read as it was written",
        arguments: ["-", "a b", "%", "\n", "x\u{0}y", "日本"]
    )
    func names(name: String) {
        var file = LedgerFile(salt: salt)
        file.apply(rejection("origin http://a:80"), name: name, fingerprint: one, unixSeconds: 5)
        file.apply(rejection("origin http://b:80"), name: name, fingerprint: one, unixSeconds: 5)
        #expect(LedgerFile(text: file.text) == file)
    }

    @Test(
        "A-7b a text that is cut, damaged or of another version is not taken for a ledger",
        arguments: [
            "", "end\n", "countersign-ledger 2\nsalt 000102030405060708090a0b0c0d0e0f\nend\n",
            "countersign-ledger 1\nsalt 00\nend\n",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\n",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\nend",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\nconfirmed\nend\n",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\ncredential a 70000 1\nend\n",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\ncredential %f 1 1\nend\n",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\ncredential a 1 1\nrejected 0 1 - x\nend\n",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\ncredential a 1 1\nunknown\nend\n",
            "countersign-ledger 1\nsalt 000102030405060708090a0b0c0d0e0f\ncredential a 1 1\nwithheld 1 - x\nend\n",
        ]
    )
    func damaged(text: String) {
        #expect(LedgerFile(text: Array(text.utf8)) == nil)
    }

    @Test("A-7b every prefix of a ledger is refused")
    func prefixes() {
        var file = LedgerFile(salt: salt)
        file.apply(rejection("origin http://a:80"), name: "staff", fingerprint: one, unixSeconds: 5)
        let text = file.text
        for count in 0..<text.count { #expect(LedgerFile(text: Array(text.prefix(count))) == nil) }
        #expect(LedgerFile(text: text) == file)
    }

    @Test("A-7 a changed secret starts clean in the file, and the old one keeps what it had")
    func changedSecret() {
        var file = LedgerFile(salt: salt)
        file.apply(rejection("origin http://a:80"), name: "staff", fingerprint: one, unixSeconds: 5)
        #expect(file.record(name: "staff", fingerprint: two).isClean)
        #expect(file.record(name: "staff", fingerprint: one).isRestricted)
        #expect(file.record(name: "other", fingerprint: one).isClean)
    }

    @Test("A-7 a release ends what is withheld of every secret of a name, and of no other name")
    func release() {
        var file = LedgerFile(salt: salt)
        file.apply(rejection("origin http://a:80"), name: "staff", fingerprint: one, unixSeconds: 5)
        file.apply(.confirmed(server: "origin http://a:80"), name: "staff", fingerprint: two, unixSeconds: 5)
        file.apply(rejection("origin http://a:80"), name: "staff", fingerprint: two, unixSeconds: 5)
        file.apply(rejection("origin http://a:80"), name: "other", fingerprint: one, unixSeconds: 5)
        #expect(file.release(name: "staff", unixSeconds: 9) == ["staff"])
        #expect(file.entries(named: "staff").count == 1, "what was confirmed stays so")
        #expect(!file.record(name: "staff", fingerprint: two).isRestricted)
        #expect(file.record(name: "other", fingerprint: one).isRestricted)
        #expect(file.release(name: nil, unixSeconds: 9) == ["staff", "other"])
        #expect(file.entries(named: "other").isEmpty)
    }

    @Test("S-2 the secrets of one name, and the entries in all, are bounded")
    func bounds() {
        var file = LedgerFile(salt: salt)
        for bits in 0..<100 {
            file.apply(
                rejection("origin http://a:80"),
                name: "staff",
                fingerprint: SecretFingerprint(bits: UInt16(bits)),
                unixSeconds: Int64(bits)
            )
        }
        #expect(file.entries.map(\.fingerprint.bits) == Array(84..<100))
    }
}
