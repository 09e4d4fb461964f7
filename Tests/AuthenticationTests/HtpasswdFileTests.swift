import Authentication
import Support
import Testing

struct HtpasswdFileTests {
    private func read(_ text: String) throws -> HtpasswdFile {
        let bytes = Array(text.utf8)
        return try HtpasswdFile(bytes.span)
    }

    private func admits(_ file: HtpasswdFile, _ name: String, _ password: String) -> Bool {
        let bytes = Array(password.utf8)
        return file.admits(name, bytes.span)
    }

    // Hashes by htpasswd -nbB -C 4, of `secret`.
    private let hash = "$2y$04$3HfQg5tLazu0aIyqJcEtKO6zn/0Q0Ec5gLqTVql.ABswziRk6U4pu"

    @Test("R-9 names of a file made by htpasswd log in with their passwords and with no others")
    func mixed() throws {
        let file = try read(String(decoding: try Fixture.bytes("Tests/Corpus/htpasswd/mixed"), as: UTF8.self))
        #expect(file.count == 3)
        for name in ["alice", "bob", "carol"] {
            #expect(admits(file, name, "secret"), "\(name)")
            #expect(!admits(file, name, "Secret"), "\(name)")
        }
        #expect(!admits(file, "dave", "secret"))
        #expect(!admits(file, "Alice", "secret"))
    }

    @Test("comments, empty lines, CR LF, a byte order mark and a last line without its end are taken")
    func lines() throws {
        let file = try read("\u{feff}# by hand\r\n\r\njosé:\(hash) \r\nb:\(hash)")
        #expect(file.count == 2)
        // The same name with its accent as a character of its own.
        #expect(admits(file, "jose\u{301}", "secret"))
    }

    @Test(
        "R-9 a line that can't be used is told by its number, without its hash",
        arguments: [
            ("a:HASH\nb:HASH\na:HASH\n", 3, "'a' stands in line 1 already"),
            ("a:HASH\n\nalice\n", 3, "a colon"),
            (":HASH", 1, "1 to 255 bytes"),
            ("a\u{7}:HASH", 1, "control"),
            ("#\na:$apr1$hEKy.n/0$vgjsNcdVmH/Q.J5gonT3x/", 2, "MD5"),
            ("a:$2y$04$3HfQg5tLazu0aIyqJcEtKO6zn/0Q0Ec5gLqTVql", 1, "cut short"),
            ("a:HASH:1000", 1, "cut short"),
            ("a:$2y$20$3HfQg5tLazu0aIyqJcEtKO6zn/0Q0Ec5gLqTVql.ABswziRk6U4pu", 1, "too long"),
        ]
    )
    func slips(_ text: String, _ line: Int, _ words: String) throws {
        let error = try #require(throws: HtpasswdFile.Failure.self) { try read(text.replacing("HASH", with: hash)) }
        #expect(error.line == line)
        #expect(error.message.contains(words), "\(error.message)")
        #expect(!error.message.contains("3HfQg5") && !error.message.contains("hEKy"))
    }
}
