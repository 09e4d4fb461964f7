import Testing

@testable import Configuration

/// S-5: a secret stays hidden however the file around it is broken.
@Suite struct CanaryTests {
    /// Every position of a secret, in flow and block style.
    static let files = [
        """
        version: 1
        credentials:
          one: { username: alice, password: { value: c4n4ry } }
          two: { username: bob, password: { value: "c4n4ry, c4n4ry" }, domain: CORP }
          three:
            username: carol
            password:
              value: c4n4ry
            password_form: plain
          four:
            username: { env: c4n4ry }
            password: { file: /etc/c4n4ry }
          five: { token: { systemd: c4n4ry } }
          six: { header: { X-Key: { value: c4n4ry, prefix: "c4n4ry " } } }
        rules:
          - { space: { host: a.example.com }, use: one, placeholder: c4n4ry }
        """,
        """
        version: 1
        credentials:
          one:
            username: alice
            password: { exec: [program, c4n4ry], refresh: 5m }
          two:
            oauth2:
              token_endpoint: https://login.example.com/token
              client_id: orders
              client_secret:
                value: |
                  c4n4ry
                  c4n4ry
              parameters: { resource: c4n4ry }
          three:
            certificate: a.pem
            private_key: { value: 'c4n4ry' }
            passphrase: { value: c4n4ry }
          four: { username: dora, digest_ha1: { value: c4n4ry }, realm: R }
          five: { helper: [program, c4n4ry] }
        rules:
          - space: { host: a.example.com, realm: Zone }
            use: four
        """,
    ]

    private func shows(_ text: [UInt8]) -> String? {
        let result = RuleFile.load(bytes: text, name: "x.yaml", environment: .fixed(), files: MemoryFiles())
        return result.diagnostics.map(\.rendered).first { $0.contains("c4n4ry") || $0.contains("n4ry") }
    }

    /// What a slip does at one place: a byte lost, doubled or replaced, a line lost, a file cut short.
    private static func mutations(of bytes: [UInt8], at place: Int) -> [[UInt8]] {
        var mutations = [Array(bytes[..<place])]
        mutations.append(Array(bytes[..<place] + bytes[(place + 1)...]))
        for inserted in [
            "\"", "'", "{", "}", "[", "]", ":", ": ", ",", "#", " #", "&", "*", "!", "%", "@", "|", "\n", "\t", " ",
            "\u{0}", "\\", "- ", "? ",
        ] {
            mutations.append(Array(bytes[..<place] + Array(inserted.utf8) + bytes[place...]))
        }
        return mutations
    }

    @Test("S-5 one slip anywhere shows no secret", arguments: files.indices)
    func oneSlip(index: Int) {
        let bytes = Array(Self.files[index].utf8)
        for place in bytes.indices {
            // Each slip at each seventh place, all of them together at all places.
            for (number, mutation) in Self.mutations(of: bytes, at: place).enumerated() where (place + number) % 7 == 0
            {
                // A slip inside the word itself leaves nothing to look for.
                guard String(decoding: mutation, as: UTF8.self).contains("c4n4ry") else { continue }
                guard let shown = shows(mutation) else { continue }
                Issue.record("\(shown)\n--- in\n\(String(decoding: mutation, as: UTF8.self))")
                return
            }
        }
    }

    @Test("S-5 a line lost or moved shows no secret", arguments: files.indices)
    func lines(index: Int) {
        let lines = Self.files[index].split(separator: "\n").map(String.init)
        for number in lines.indices {
            var lost = lines
            let line = lost.remove(at: number)
            var variants = [lost]
            for indentation in [0, 1, 2, 3, 5, 8, 12] {
                var moved = lines
                moved[number] = String(repeating: " ", count: indentation) + line.drop { $0 == " " }
                variants.append(moved)
            }
            for variant in variants {
                guard let shown = shows(Array(variant.joined(separator: "\n").utf8)) else { continue }
                Issue.record("\(shown)\n--- in\n\(variant.joined(separator: "\n"))")
                return
            }
        }
    }
}
