import Bytes
import Crypto
import Testing

private struct Holder {
    let name = "login"
    let secret: Secret
}

struct SecretTests {
    @Test("S-6 a secret prints redacted however it is printed or mirrored")
    func prints() {
        let secret = Secret("open sesame")
        var texts: [String] = []
        var text = ""
        print(secret, to: &text)
        texts.append(text)
        debugPrint(secret, to: &text)
        texts.append(text)
        text = ""
        dump(secret, to: &text)
        texts.append(text)
        dump([secret], to: &text)
        dump(["key": secret], to: &text)
        dump(Holder(secret: secret), to: &text)
        dump(Optional(secret), to: &text)
        dump((1, secret), to: &text)
        texts.append(text)
        texts += [
            "\(secret)", "\([secret])", "\(["key": secret])", "\(Holder(secret: secret))", "\(Optional(secret) as Any)",
            String(describing: secret), String(reflecting: secret), String(reflecting: [secret]), secret.description,
            secret.debugDescription, String(reflecting: Holder(secret: secret)),
            String(describing: Mirror(reflecting: secret)),
        ]
        for text in texts {
            #expect(!text.contains("sesame") && !text.contains("6f70656e") && !text.contains("111, 112, 101"))
            #expect(!text.contains("0x"), "an address is as good as a hint")
        }
        #expect("\(secret)" == "<redacted>")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test("two secrets are equal when their bytes are")
    func equality() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("a") != Secret("aa"))
        #expect(Secret("") == Secret(""))
        #expect(Secret("").isEmpty)
    }

    @Test("taking bytes over empties their array")
    func takesOver() {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = Secret(wiping: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret.count == 3)
        #expect(secret.withBytes { [UInt8]($0) } == [1, 2, 3])
    }

    @Test("a secret is appended as it is")
    func appends() {
        var buffer = ByteBuffer()
        Secret("Basic QQ==").append(to: &buffer)
        #expect(String(buffer.readable) == "Basic QQ==")
    }
}
