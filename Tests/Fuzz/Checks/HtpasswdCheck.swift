import Authentication

/// What must hold for any bytes read as a password file; the fuzzer and the replay of its corpus both ask.
package enum HtpasswdCheck {
    /// Reads a file; says what is wrong with the outcome.
    package static func fault(of input: [UInt8]) -> String? {
        let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
        do throws(HtpasswdFile.Failure) {
            return try HtpasswdFile(input.span).count <= lines ? nil : "more names than lines"
        } catch {
            return (1...lines).contains(error.line) ? nil : "a line that isn't there"
        }
    }
}
