import Bytes
import Foundation
import Support
import Testing
import Trust

@Suite struct PinReportTests {
    private static let leaf = CertificateFile.certificates(Array(ExampleCertificate.pem.utf8))?.first ?? []

    private func failure(
        _ kind: TrustFailure.Kind = .pins,
        host: String = "a.example",
        subject: String = "CN=pinned.example",
        der: [UInt8] = leaf
    ) -> TrustFailure {
        let certificate = CertificateFacts(
            der: der,
            publicKeyPin: PublicKeyPin(ExampleCertificate.pin) ?? PublicKeyPin(ofPublicKeyInfo: der.span),
            subject: subject,
            issuer: subject,
            notBefore: 1_768_435_200,
            notAfter: 1_814_313_600,
            dnsNames: [],
            addresses: [],
            isSelfSigned: true,
            isAuthority: false
        )
        return TrustFailure(
            kind: kind,
            policy: "trust[0]",
            identity: ReferenceIdentity(host: host),
            seen: [certificate]
        )
    }

    private var policy: TrustPolicy {
        TrustPolicy(
            name: "trust[0]",
            terms: TrustPolicy.Terms(.publicKey, [Certificates.httpbin]).with { $0.expires = 1_814_313_600 }
        )
    }

    private func object(_ report: PinReport, now: Int64) throws -> [String: Any] {
        var buffer = ByteBuffer(capacity: 1024)
        report.append(into: &buffer, now: now)
        let data = Data([UInt8](buffer.readable))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("T-4 a report has the members of RFC 7469 and our reason")
    func members() throws {
        let report = PinReport(failure(), port: 8443, served: [Self.leaf, Self.leaf], policy: policy)
        let object = try object(report, now: 1_784_113_445)
        #expect(object["date-time"] as? String == "2026-07-15T11:04:05Z")
        #expect(object["hostname"] as? String == "a.example")
        #expect(object["port"] as? Int == 8443)
        #expect(object["effective-expiration-date"] as? String == "2027-06-30T00:00:00Z")
        #expect(object["include-subdomains"] as? Bool == false)
        #expect(object["noted-hostname"] as? String == "a.example")
        let pem = ExampleCertificate.pem + "\n"
        #expect(object["served-certificate-chain"] as? [String] == [pem, pem])
        #expect(object["validated-certificate-chain"] as? [String] == [pem])
        #expect(
            object["known-pins"] as? [String] == ["pin-sha256=\"flUN9mYPmbQZ0jCTHMo2iEhYuYQrJ3iKdeRV7x+8s50=\""]
        )
        #expect(object["reason"] as? String == "pin.mismatch")
    }

    @Test("T-10 what was seen is told by subject, dates and pin, ready to be pasted")
    func seen() throws {
        let line = "- \(ExampleCertificate.pin)  # CN=pinned.example, 2026-01-15 to 2027-06-30"
        #expect(failure().seenLines == [line])
        let report = PinReport(failure(), port: 443, served: [], policy: policy)
        #expect(try object(report, now: 0)["seen"] as? [String] == [line])
    }

    @Test("T-10 a subject can't break out of its line or its string")
    func hostileSubject() throws {
        let failure = failure(
            subject: "CN=a\"\\\u{1}\r\n- sha256/evil\u{85}\u{2028}\u{202E}b\u{9B}2J"
                + String(repeating: "x", count: 900)
        )
        let line = try #require(failure.seenLines.first)
        #expect(
            line.unicodeScalars.allSatisfy {
                !["\r", "\n", "\u{1}", "\u{85}", "\u{2028}", "\u{202E}", "\u{9B}"].contains($0)
            }
        )
        #expect(line.count < 320)
        let report = PinReport(failure, port: 443, served: [], policy: policy)
        #expect(try object(report, now: 0)["seen"] as? [String] == [line])
    }

    @Test("T-4 the same report goes out once a day, another one at once")
    func limit() {
        var limit = PinReportLimit()
        func admits(_ failure: TrustFailure, port: UInt16 = 443, policy: TrustPolicy? = nil, after: Int64 = 0) -> Bool {
            let report = PinReport(failure, port: port, served: [], policy: policy ?? self.policy)
            return limit.admits(report, now: 1_784_113_445 + after)
        }
        #expect(admits(failure()))
        #expect(!admits(failure(), after: 1))
        #expect(!admits(failure(), after: 86_399))
        #expect(admits(failure(host: "b.example")))
        #expect(admits(failure(), port: 8443))
        #expect(admits(failure(der: [1])))
        #expect(admits(failure(.chain(.expired))))
        #expect(admits(failure(), policy: .standard))
        #expect(admits(failure(), after: 86_400))
        #expect(!admits(failure(), after: 86_401))
    }

    @Test("T-4 a chain that is observed is told once, not once a day")
    func observed() {
        var limit = PinReportLimit()
        let report = PinReport(failure(.observed), port: 443, served: [], policy: policy)
        let times: [Int64] = [0, 1, 10 * 86_400]
        let admitted = times.map { limit.admits(report, now: $0) }
        #expect(admitted == [true, false, false])
    }

    @Test("T-4 whoever makes up chains gets a bounded number of reports")
    func bounded() {
        var limit = PinReportLimit()
        for kind in [TrustFailure.Kind.pins, .observed] {
            let admitted = (0..<PinReportLimit.capacity + 50).count { number in
                let failure = failure(kind, host: "\(number).example")
                return limit.admits(PinReport(failure, port: 443, served: [], policy: policy), now: 0)
            }
            #expect(admitted == PinReportLimit.capacity)
        }
    }
}
