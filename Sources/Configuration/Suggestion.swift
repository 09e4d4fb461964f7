/// "Did you mean": the known word that an unknown one was probably meant to be.
enum Suggestion {
    /// The nearest of the words by edit distance; nil where none is near enough for a slip of the fingers.
    static func nearest(to word: String, in known: [String]) -> String? {
        let folded = Array(fold(word).unicodeScalars)
        guard (1...40).contains(folded.count) else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let other = Array(fold(candidate).unicodeScalars)
            guard let distance = slips(folded, other) else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Whether one word may be a slip of the fingers for the other; both are folded.
    static func isNear(_ word: [UInt8], _ other: [UInt8]) -> Bool { slips(word, other) != nil }

    /// The slips between two words; nil where they are too many for the same word.
    private static func slips<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int? {
        // A third of the letters may be wrong: 'reelm', 'pasword', 'protcol'.
        let most = max(1, min(left.count, right.count) / 3)
        guard abs(left.count - right.count) <= most else { return nil }
        let distance = distance(left, right)
        return distance <= most ? distance : nil
    }

    /// Letters' case and the choice between `-`, `_` and nothing don't make another word.
    static func fold(_ word: String) -> String {
        String(word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " })
    }

    /// Insertions, deletions, replacements and exchanges of neighbours, each 1.
    private static func distance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
        var beforeLast = Array(0...right.count)
        var last = beforeLast
        var current = beforeLast
        for row in left.indices {
            current[0] = row + 1
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(last[column + 1] + 1, current[column] + 1, replaced)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current[column + 1] = cost
            }
            (beforeLast, last, current) = (last, current, beforeLast)
        }
        return last[right.count]
    }
}
