import Bytes
import Testing

@testable import HTTP

@Suite struct FieldsTests {
    static func fields(_ lines: [(String, String)]) -> Fields {
        var fields = Fields()
        for (name, value) in lines { fields.append(name, value) }
        return fields
    }

    @Test("field lines are found by name in their order")
    func finding() {
        let fields = Self.fields([("Via", "1"), ("X-A", "2"), ("VIA", "3"), ("x-a", ""), ("Date", "5")])
        #expect(fields.count == 5)
        #expect(fields.first(.via) == 0)
        #expect(fields.next(.via, after: 0) == 2)
        #expect(fields.next(.via, after: 2) == nil)
        #expect(fields.first(.host) == nil)
        #expect(fields.first(named: "X-a") == 1)
        #expect(fields.first(named: "x-A", from: 2) == 3)
        #expect(fields.first(named: "x-") == nil)
        #expect(fields.contains(.date) && !fields.contains(.host))
        #expect(fields.text(.date) == "5")
        #expect(String(fields.nameBytes(2)) == "VIA")
        #expect(String(fields.value(3)) == "")
    }

    @Test("copies don't change with each other")
    func copies() {
        let original = Self.fields([("Via", "1")])
        var copy = original
        copy.append("Date", "2")
        copy.append(.host, Array("h".utf8).span)
        #expect(original.count == 1)
        #expect(copy.count == 3)
        #expect(copy.text(.host) == "h")
        copy.removeAll()
        #expect(copy.isEmpty && !copy.contains(.via))
        #expect(original.text(.via) == "1")
    }

    @Test(
        "tokens are found in lists, whatever their case, place and parameters",
        arguments: [
            ("close", true), ("Close", true), ("a, close", true), ("a,,close ,b", true), ("close;q=1", true),
            ("close=1", true), ("closed", false), ("a close", false), ("\"a, close\"", false),
            ("\"a\\\", close, b\"", false),
            ("", false), (",", false), ("clos", false),
        ]
    )
    func tokens(_ value: String, _ isThere: Bool) {
        let fields = Self.fields([("Connection", "x"), ("Connection", value)])
        #expect(fields.hasToken(.connection, "close") == isThere)
        #expect(!fields.hasToken(.upgrade, "close"))
    }

    @Test("elements of a list are trimmed and never empty")
    func elements() {
        let value = Array(" a ,, \t,b c , \"d,e\" ".utf8)
        var index = 0
        var elements: [String] = []
        while let element = FieldList.next(in: value.span, from: &index) {
            elements.append(String(value.span.extracting(element)))
        }
        #expect(elements == ["a", "b c", "\"d,e\""])
    }
}
