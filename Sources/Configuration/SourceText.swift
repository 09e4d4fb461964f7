/// A place in one of the files that were read, counted from 0 as libyaml counts: lines by YAML's line breaks, columns by
/// Unicode scalars.
struct Mark: Hashable, Comparable, Sendable {
    var file: Int
    var line: Int
    var column: Int

    static func < (left: Mark, right: Mark) -> Bool {
        (left.file, left.line, left.column) < (right.file, right.line, right.column)
    }
}

/// One file as it was read, cut into lines, with the parts that a diagnostic must not show.
struct SourceText: Sendable {
    /// The name that diagnostics show.
    let name: String
    let bytes: [UInt8]
    private let lines: [Range<Int>]
    /// How many scalars stand before each line.
    private let scalarsBefore: [Int]
    /// The byte offset of each scalar whose number is a multiple of `stride`, so that a line of megabytes isn't walked for
    /// each of its places.
    private let waypoints: [Int]
    private static let stride = 64
    /// Byte ranges that hold, or might hold, a secret.
    private var masked: [Range<Int>] = []

    init(name: String, bytes: [UInt8]) {
        self.name = name
        // A byte order mark is no part of the text.
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        lines = Self.lines(of: self.bytes)
        var waypoints: [Int] = []
        var scalarsBefore: [Int] = []
        var scalars = 0
        var line = 0
        for offset in 0...self.bytes.count {
            while line < lines.count, lines[line].lowerBound == offset {
                scalarsBefore.append(scalars)
                line += 1
            }
            guard offset < self.bytes.count, !Self.isContinuation(self.bytes[offset]) else { continue }
            if scalars % Self.stride == 0 { waypoints.append(offset) }
            scalars += 1
        }
        self.waypoints = waypoints
        self.scalarsBefore = scalarsBefore
    }

    var lineCount: Int { lines.count }

    /// The bytes of a line without its line break; empty where there is no such line.
    func line(_ number: Int) -> ArraySlice<UInt8> {
        lines.indices.contains(number) ? bytes[lines[number]] : []
    }

    /// The byte offset of a place, the end of its line where the column lies beyond it.
    func offset(line: Int, column: Int) -> Int {
        guard lines.indices.contains(line) else { return bytes.count }
        let range = lines[line]
        let scalar = scalarsBefore[line] + min(max(column, 0), range.count)
        guard scalar / Self.stride < waypoints.count else { return range.upperBound }
        var offset = waypoints[scalar / Self.stride]
        for _ in 0..<(scalar % Self.stride) where offset < range.upperBound {
            offset += 1
            while offset < range.upperBound, Self.isContinuation(bytes[offset]) { offset += 1 }
        }
        return min(max(offset, range.lowerBound), range.upperBound)
    }

    /// Hides a byte range from every excerpt.
    mutating func mask(_ range: Range<Int>) {
        if !range.isEmpty { masked.append(range) }
    }

    /// Hides what stands between two places.
    mutating func mask(from start: Mark, to end: Mark) {
        let lower = offset(line: start.line, column: start.column)
        mask(lower..<max(lower, offset(line: end.line, column: end.column)))
    }

    /// A line as a diagnostic shows it: each hidden part is one `…`, a long line is cut around the caret.
    func excerpt(at mark: Mark) -> (text: String, caret: Int) {
        guard lines.indices.contains(mark.line) else { return ("", 0) }
        let range = lines[mark.line]
        let caretOffset = offset(line: mark.line, column: mark.column)
        let hidden = masked.filter { $0.overlaps(range) }
        var shown: [Character] = []
        var caret: Int?
        var position = range.lowerBound
        var isHiding = false
        while position < range.upperBound {
            var next = position + 1
            while next < range.upperBound, Self.isContinuation(bytes[next]) { next += 1 }
            if hidden.contains(where: { $0.contains(position) }) {
                if !isHiding { shown.append("…") }
                isHiding = true
                if position >= caretOffset, caret == nil { caret = shown.count - 1 }
            } else {
                isHiding = false
                if position >= caretOffset, caret == nil { caret = shown.count }
                shown.append(Self.printable(bytes[position..<next]))
            }
            position = next
        }
        return Self.cut(shown, caret: caret ?? shown.count)
    }

    private static func cut(_ text: [Character], caret: Int) -> (text: String, caret: Int) {
        let width = 110
        guard text.count > width else { return (trimmingEnd(text), caret) }
        let start = max(0, min(caret - width / 2, text.count - width))
        let window = Array(text[start..<min(text.count, start + width)])
        let head = start > 0 ? "..." : ""
        let tail = start + width < text.count ? "..." : ""
        return (head + trimmingEnd(window) + tail, caret - start + head.count)
    }

    private static func trimmingEnd(_ text: [Character]) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// One character, with what would move the terminal's cursor replaced.
    private static func printable(_ bytes: ArraySlice<UInt8>) -> Character {
        let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        guard scalars.count == 1, let scalar = scalars.first else { return "\u{FFFD}" }
        if scalar == "\t" { return " " }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .nonspacingMark, .enclosingMark:
            return "\u{FFFD}"
        default: return Character(scalar)
        }
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Lines as libyaml counts them: CR, LF, CRLF, U+0085, U+2028 and U+2029 each end one.
    private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        var position = 0
        while position < bytes.count {
            let length = lineBreak(in: bytes, at: position)
            if length > 0 {
                lines.append(start..<position)
                start = position + length
                position = start
            } else {
                position += 1
            }
        }
        lines.append(start..<bytes.count)
        return lines
    }

    private static func lineBreak(in bytes: [UInt8], at position: Int) -> Int {
        func byte(_ distance: Int) -> UInt8? {
            position + distance < bytes.count ? bytes[position + distance] : nil
        }
        switch bytes[position] {
        case 0x0A: return 1
        case 0x0D: return byte(1) == 0x0A ? 2 : 1
        case 0xC2: return byte(1) == 0x85 ? 2 : 0
        case 0xE2: return byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9) ? 3 : 0
        default: return 0
        }
    }
}
