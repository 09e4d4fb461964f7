import Testing

@testable import HTTP

@Suite struct FieldNameTests {
    @Test("every known name is recognised in any case", arguments: FieldName.allCases.filter { $0 != .other })
    func known(_ name: FieldName) {
        for text in [name.text, name.text.lowercased(), name.text.uppercased()] {
            let bytes = Array(text.utf8)
            #expect(FieldName.of(bytes.span) == name)
        }
    }

    @Test("a name that differs in one byte, or lacks one, is another one", arguments: FieldName.allCases)
    func near(_ name: FieldName) {
        let bytes = Array(name.text.utf8)
        for index in bytes.indices {
            for other in UInt8.min...UInt8.max where other | 0x20 != bytes[index] | 0x20 || !isLetter(other) {
                guard other != bytes[index] else { continue }
                var changed = bytes
                changed[index] = other
                #expect(FieldName.of(changed.span) == .other)
            }
        }
        let shorter = Array(bytes.dropLast())
        let longer = bytes + [UInt8(ascii: "a")]
        #expect(FieldName.of(shorter.span) == .other)
        #expect(FieldName.of(longer.span) == .other)
    }

    private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    @Test("a head's reader and the reader of a name alone agree", arguments: FieldName.allCases.filter { $0 != .other })
    func inHead(_ name: FieldName) {
        let bytes = Array("HTTP/1.1 204 No Content\r\n\(name.text):\r\n\r\n".utf8)
        var head = ResponseHead()
        _ = head.parse(bytes.span, limits: Limits(), requestMethod: .connect)
        #expect(head.fields.count == 1)
        #expect(head.fields.name(0) == name)
        #expect(head.fields.contains(name))
    }

    @Test("a set holds names but never another one")
    func sets() {
        var set: FieldNameSet = [.host, .via]
        #expect(set.contains(.host) && set.contains(.via) && !set.contains(.date) && !set.contains(.other))
        set.insert(.other)
        #expect(!set.contains(.other))
        set.remove(.host)
        #expect(set == [.via])
        #expect(set.union([.date]) == [.date, .via])
        #expect(set.isDisjoint(with: [.host, .date]))
        #expect(!set.isDisjoint(with: [.via, .date]))
        #expect(!set.isEmpty && FieldNameSet().isEmpty)
        #expect(FieldName.allCases.count <= 64)
    }
}
