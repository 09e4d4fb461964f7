import Testing

@testable import Rules

@Suite("Punycode")
struct PunycodeTests {
    @Test(
        "the samples of RFC 3492 section 7.1 are encoded as printed there",
        arguments: [
            ("\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}", "ihqwcrb4cv8a8dqg056pqjye"),
            ("\u{4ED6}\u{5011}\u{7232}\u{4EC0}\u{9EBD}\u{4E0D}\u{8AAA}\u{4E2D}\u{6587}", "ihqwctvzc91f659drss3x8bo0yb"),
            ("3\u{5E74}B\u{7D44}\u{91D1}\u{516B}\u{5148}\u{751F}", "3B-ww4c5e180e575a65lsy2b"),
            (
                "\u{5B89}\u{5BA4}\u{5948}\u{7F8E}\u{6075}-with-SUPER-MONKEYS",
                "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"
            ),
            ("\u{3072}\u{3068}\u{3064}\u{5C4B}\u{6839}\u{306E}\u{4E0B}2", "2-u9tlzr9756bt3uc0v"),
            ("Maji\u{3067}Koi\u{3059}\u{308B}5\u{79D2}\u{524D}", "MajiKoi5-783gue6qz075azm5e"),
            ("\u{305D}\u{306E}\u{30B9}\u{30D4}\u{30FC}\u{30C9}\u{3067}", "d9juau41awczczp"),
        ]
    )
    func samples(text: String, encoded: String) {
        #expect(Punycode.encode(Array(text.unicodeScalars)) == Array(encoded.utf8))
    }

    @Test("the highest scalars are encoded without a trap")
    func extremes() {
        #expect(Punycode.encode(Array(repeating: "\u{10FFFF}", count: 63)) != nil)
    }
}
