/// "Did you mean": the known word that an unknown one was probably meant to be.
enum Suggestion {
    /// The nearest of the words by edit distance; nil where none is near enough for a slip of the fingers.
    static func nearest(to word: String, in known: [String]) -> String? {
        let folded = Array(fold(word).unicodeScalars)
        guard (1...40).contains(folded.count) else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let other = Array(fold(candidate).unicodeScalars)
            // A third of the letters may be wrong: 'reelm', 'pasword', 'protcol'.
            let most = max(1, min(folded.count, other.count) / 3)
            guard abs(folded.count - other.count) <= most else { continue }
            let distance = distance(folded, other)
            guard distance <= most else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Letters' case and the choice between `-`, `_` and nothing don't make another word.
    static func fold(_ word: String) -> String {
        String(word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " })
    }

    /// Insertions, deletions, replacements and exchanges of neighbours, each 1.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, scalar) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (scalar == other ? 0 : 1))
                if row > 0, column > 0, scalar == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
