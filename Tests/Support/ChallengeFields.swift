extension ChallengeField {
    /// All rows.
    package static let all: [ChallengeField] = devices + curl + browsers + libraries + reschke

    /// All rows, each as it was seen, split over two fields, and joined to one.
    package static let allVariants: [ChallengeField] = all.flatMap { row in
        [row] + (row.split.map { [$0] } ?? []) + (row.values.count > 1 ? [row.joined] : [])
    }

    /// A row that is answered by Digest; `echoed` and the realm as they are written between the quotes.
    static func digest(
        _ id: String,
        _ values: String...,
        isProxy: Bool = false,
        schemes: [String] = ["Digest"],
        realm: String,
        echoed: [String],
        absent: [String] = []
    ) -> ChallengeField {
        let answer = Answer(
            scheme: "Digest",
            realm: Array(realm.utf8),
            echoed: echoed.map { Array($0.utf8) },
            absent: absent
        )
        let values = values.map { Array($0.utf8) }
        return ChallengeField(id: id, values: values, isProxy: isProxy, schemes: schemes, answer: answer)
    }

    /// A row that is answered by Basic.
    static func basic(
        _ id: String,
        _ values: String...,
        isProxy: Bool = false,
        schemes: [String] = ["Basic"],
        realm: String?
    ) -> ChallengeField {
        let answer = Answer(scheme: "Basic", realm: realm.map { Array($0.utf8) })
        let values = values.map { Array($0.utf8) }
        return ChallengeField(id: id, values: values, isProxy: isProxy, schemes: schemes, answer: answer)
    }

    /// A row that isn't answered.
    static func unanswered(_ id: String, _ values: String..., schemes: [String]) -> ChallengeField {
        ChallengeField(id: id, values: values.map { Array($0.utf8) }, schemes: schemes, answer: nil)
    }

    /// The bytes of text in ISO-8859-1.
    static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
