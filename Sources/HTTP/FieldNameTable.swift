/// The last four words of a field name, each of eight bytes but the last, folded to lower case.
///
/// Setting one bit folds letters; it makes no two names alike that consist of letters and hyphens, as all known ones do.
/// No known name has more than 32 bytes, so key and length together tell it.
struct FieldNameKey {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0

    /// Takes in the next word.
    @inline(__always)
    mutating func append(_ folded: UInt64) {
        fourth = third
        third = second
        second = first
        first = folded
    }

    @inline(__always)
    static func == (left: FieldNameKey, right: FieldNameKey) -> Bool {
        (left.first ^ right.first) | (left.second ^ right.second) | (left.third ^ right.third)
            | (left.fourth ^ right.fourth) == 0
    }

    @inline(__always)
    var hash: Int {
        let mixed =
            first &* 0x9e37_79b9_7f4a_7c15 ^ second &* 0xff51_afd7_ed55_8ccd ^ third &* 0xc4ce_b9fe_1a85_ec53 ^ fourth
        return Int(truncatingIfNeeded: (mixed &* 0x2545_f491_4f6c_dd1d) >> 57)
    }
}

/// The known field names by their key: a table with linear probing, about a quarter of it used.
struct FieldNameTable: Sendable {
    static let shared = FieldNameTable()

    private struct Slot {
        var key = FieldNameKey()
        var count = 0
        var name = FieldName.other
    }

    private var slots = [Slot](repeating: Slot(), count: 128)

    private init() {
        for name in FieldName.allCases where name != .other {
            let utf8 = name.text.utf8
            let slot = Slot(key: Self.key(utf8.span), count: utf8.count, name: name)
            var place = slot.key.hash
            while slots[place].count > 0 { place = (place + 1) & 127 }
            slots[place] = slot
        }
    }

    /// The name of `count` bytes whose key is `key`.
    @inline(__always)
    func name(_ key: FieldNameKey, count: Int) -> FieldName {
        var place = key.hash
        while true {
            let slot = slots[place]
            if slot.count == count && slot.key == key { return slot.name }
            if slot.count == 0 { return .other }
            place = (place &+ 1) & 127
        }
    }

    /// The name that `bytes` writes.
    func name(_ bytes: Span<UInt8>) -> FieldName {
        for index in bytes.indices where !ByteClass.isLetter(bytes[index]) && bytes[index] != UInt8(ascii: "-") {
            return .other
        }
        return name(Self.key(bytes), count: bytes.count)
    }

    private static func key(_ bytes: Span<UInt8>) -> FieldNameKey {
        var key = FieldNameKey()
        var index = 0
        while index &+ 8 <= bytes.count {
            key.append(WordScan.word(bytes, index) | WordScan.ones &* 0x20)
            index &+= 8
        }
        var rest: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.count {
            rest |= UInt64(bytes[index] | 0x20) &<< shift
            shift &+= 8
            index &+= 1
        }
        key.append(rest)
        return key
    }
}

/// A field name as it stands in a head.
struct ScannedFieldName {
    /// The index behind it.
    let end: Int
    let name: FieldName

    /// Reads the tchar from `start` on.
    @inline(__always)
    init(_ bytes: Span<UInt8>, from start: Int, table: FieldNameTable) {
        var key = FieldNameKey()
        var index = start
        while index &+ 8 <= bytes.count {
            let word = WordScan.word(bytes, index)
            let folded = word | WordScan.ones &* 0x20
            let marks = WordScan.marksNoNameByte(word)
            if marks != 0 {
                let count = marks.trailingZeroBitCount / 8
                index &+= count
                if ByteClass.isToken(bytes[index]) { break }
                key.append(folded & ((1 &<< UInt64(count &* 8)) &- 1))
                end = index
                name = table.name(key, count: index &- start)
                return
            }
            key.append(folded)
            index &+= 8
        }
        while index < bytes.count && ByteClass.isToken(bytes[index]) { index &+= 1 }
        end = index
        name = table.name(bytes.extracting(start..<index))
    }
}
