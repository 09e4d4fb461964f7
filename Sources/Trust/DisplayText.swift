/// Text out of certificates as it may stand in a log, on a terminal or in a comment of a rule file.
enum DisplayText {
    /// The text in one line, without what moves a cursor or turns the direction of writing, and shortened.
    ///
    /// A certificate's subject is whatever its maker wrote: a line break in it could forge a line of the log.
    static func line(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if shown.count == 200 {
                shown += "...".unicodeScalars
                break
            }
            shown.append(isPlain(scalar) ? scalar : "\u{FFFD}")
        }
        return String(shown)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
