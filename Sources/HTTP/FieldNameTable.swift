import Bytes

/// The last sixteen bytes of a field name, folded: for a name of up to sixteen bytes the whole of it.
struct FieldNameKey: Equatable {
    private(set) var high: UInt64 = 0
    private(set) var low: UInt64 = 0

    /// Takes in the next byte of a name.
    ///
    /// Setting one bit folds the letters; it makes no two tokens that consist of letters, digits and hyphens alike.
    @inline(__always)
    mutating func append(_ byte: UInt8) {
        high = high << 8 | low >> 56
        low = low << 8 | UInt64(byte | 0x20)
    }

    @inline(__always)
    var hash: Int {
        Int(truncatingIfNeeded: ((low ^ (high &* 0x9e37_79b9_7f4a_7c15)) &* 0xff51_afd7_ed55_8ccd) >> 57)
    }
}

/// The known field names by their key: a table with linear probing, at most a third of it used.
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
            var slot = Slot(count: name.text.utf8.count, name: name)
            for byte in name.text.utf8 { slot.key.append(byte) }
            var place = slot.key.hash
            while slots[place].count > 0 { place = (place + 1) & 127 }
            slots[place] = slot
        }
    }

    /// The name whose key is `key` and whose bytes are `bytes`, all of them tchar.
    @inline(__always)
    func name(_ key: FieldNameKey, _ bytes: Span<UInt8>) -> FieldName {
        var place = key.hash
        while true {
            let slot = slots[place]
            if slot.count == 0 { return .other }
            if slot.key == key && slot.count == bytes.count {
                return bytes.count <= 16 || Self.matches(bytes, slot.name) ? slot.name : .other
            }
            place = (place &+ 1) & 127
        }
    }

    private static func matches(_ bytes: Span<UInt8>, _ name: FieldName) -> Bool {
        let text = name.text
        let utf8 = text.utf8
        return ByteClass.equalsIgnoringCase(bytes, utf8.span)
    }
}
