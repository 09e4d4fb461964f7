import Bytes
import Support
import Testing

@testable import Trust

@Suite struct CertificateFileTests {
    private func certificates(_ text: String) -> [[UInt8]]? { CertificateFile.certificates(Array(text.utf8)) }

    @Test(
        "the pin of a certificate's file is what OpenSSL says it is",
        arguments: [
            (ExampleCertificate.pem, ExampleCertificate.pin), (ExampleCertificate.rsaPEM, ExampleCertificate.rsaPin),
            (ExampleCertificate.version1PEM, ExampleCertificate.pin),
        ]
    )
    func pins(pem: String, pin: String) throws {
        let der = try #require(certificates(pem)?.first)
        #expect(PinnedCertificate(name: "a.pem", der: der)?.publicKeyPin.description == pin)
        #expect(CertificateFile.certificates(der) == [der])
    }

    @Test func `the fingerprint of a certificate's file is what OpenSSL says it is`() throws {
        let der = try #require(certificates(ExampleCertificate.pem)?.first)
        let pinned = try #require(PinnedCertificate(name: "a.pem", der: der))
        let hex = Hex.encode(pinned.fingerprint.bytes.span)
        #expect(String(decoding: hex, as: UTF8.self) == ExampleCertificate.fingerprint)
    }

    @Test func `a file may hold many certificates, text between them, and line ends of either kind`() {
        let text = "subject=CN\n\(ExampleCertificate.pem)\r\nother\n\(ExampleCertificate.rsaPEM)\n"
        #expect(certificates(text)?.count == 2)
        let lines = text.utf8.flatMap { $0 == 10 ? [13, 10] : [$0] }
        #expect(CertificateFile.certificates(lines)?.count == 2)
        #expect(certificates("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n") == [])
        #expect(certificates("") == [])
    }

    @Test func `a certificate is written as it was read`() throws {
        let der = try #require(certificates(ExampleCertificate.rsaPEM)?.first)
        #expect(PEM.certificate(der) == ExampleCertificate.rsaPEM + "\n")
    }

    @Test func `a certificate that is cut off, changed in its shape or followed by anything is none`() throws {
        let der = try #require(certificates(ExampleCertificate.pem)?.first)
        for count in 1..<der.count { #expect(CertificateFile.certificates(Array(der.prefix(count))) == nil) }
        #expect(CertificateFile.certificates(der + [0]) == nil)
        // Of every byte that says what follows or how long it is, another value makes it another shape.
        for place in [1, 3, 4, 5, 7, 8, 13, 14] {
            var other = der
            other[place] ^= 0x01
            #expect(CertificateFile.certificates(other) == nil, "byte \(place)")
        }
        // A length in more bytes than it needs is BER, and another fingerprint for the same certificate.
        #expect(CertificateFile.certificates([0x30, 0x83, 0x00] + der.dropFirst(2)) == nil)
        let pem = ExampleCertificate.pem
        #expect(certificates(String(pem.dropLast(5))) == nil)
        #expect(certificates("\(pem.dropLast(30))\n\(pem)") == nil)
        #expect(certificates("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n") == nil)
        #expect(certificates("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n") == nil)
    }

    @Test(
        "no length of an element reaches beyond the certificate",
        arguments: [
            [0x30, 0x80], [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
            [0x30, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0x30, 0x81, 0x01, 0x00], [0x30], [0x30, 0x82, 0x00], [0x30, 0x03, 0x30, 0x7f, 0x02],
        ] as [[UInt8]]
    )
    func lengths(bytes: [UInt8]) {
        #expect(CertificateDER.publicKeyInfo(bytes) == nil)
    }
}
