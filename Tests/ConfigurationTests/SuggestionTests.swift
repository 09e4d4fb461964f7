import Testing

@testable import Configuration

@Suite struct SuggestionTests {
    private let keys = Schema.space.keys.map(\.name)

    @Test(
        "a slip of the fingers finds its word",
        arguments: [
            ("reelm", "realm"), ("hsot", "host"), ("prot", "port"), ("protcol", "protocol"), ("metod", "method"),
            ("Realm", "realm"), ("pat", "path"),
        ]
    )
    func finds(written: String, meant: String) { #expect(Suggestion.nearest(to: written, in: keys) == meant) }

    @Test(
        "another word finds none",
        arguments: ["", "zzz", "destination", "h", "credential", String(repeating: "x", count: 100)]
    )
    func findsNone(written: String) { #expect(Suggestion.nearest(to: written, in: keys) == nil) }

    @Test("hyphens, underscores and case make no other word") func folding() {
        #expect(Suggestion.nearest(to: "Max-Failures", in: ["max_failures"]) == "max_failures")
    }

    @Test("every word of a neighbour that the schema knows leads to a key of its section or to advice")
    func synonyms() {
        let sections = [
            Schema.top, Schema.listener, Schema.credential, Schema.rule, Schema.space, Schema.proxy, Schema.route,
            Schema.trust, Schema.access, Schema.timeouts, Schema.oauth2, Schema.kerberos, Schema.secretSection,
        ]
        for section in sections {
            for (word, meant) in section.synonyms {
                let key = String(meant.prefix { $0 != " " && $0 != ":" })
                #expect(section.key(word) == nil, "\(word) is a key of \(section.title)")
                #expect(section.key(key) != nil || Schema.top.key(key) != nil, "\(word) in \(section.title)")
            }
        }
    }
}
