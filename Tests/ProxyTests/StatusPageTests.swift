import Foundation
import Support
import Testing

@testable import Proxy

/// The operators' page as it leaves the program.
@Suite struct StatusPageTests {
    private let text = String(decoding: StatusPage.bytes, as: UTF8.self)

    /// What stands between the two tags.
    private func element(_ name: String) -> String? {
        guard let start = text.range(of: "<\(name)>"), let end = text.range(of: "</\(name)>") else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }

    private func base64(ofHex hex: String) -> String {
        let digits = hex.compactMap(\.hexDigitValue)
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        return Data(bytes).base64EncodedString()
    }

    @Test("O-2 the page's policy allows its own script and style by their hashes, and no other")
    func policy() throws {
        #expect(text.components(separatedBy: "<script").count == 2 && text.components(separatedBy: "<style").count == 2)
        for (name, directive) in [("script", "script-src"), ("style", "style-src")] {
            let content = try #require(self.element(name))
            let hash = base64(ofHex: Digest.sha256(content))
            #expect(StatusPage.contentSecurityPolicy.contains("\(directive) 'sha256-\(hash)'"))
        }
        #expect(StatusPage.contentSecurityPolicy.hasPrefix("default-src 'none';"))
    }

    @Test("O-2 the page names no other place, and puts no text in as markup")
    func selfContained() {
        let withoutNames = text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
        for sign in ["http:", "https:", "//cdn", "@import", "url("] { #expect(!withoutNames.contains(sign), "\(sign)") }
        for sign in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " onclick", " style="] {
            #expect(!text.contains(sign), "\(sign)")
        }
    }
}
