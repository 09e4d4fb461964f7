import Authentication
import HTTP
import Testing

struct ProtectionSpaceTests {
    private let origin = Origin(scheme: .http, host: "Example.com")

    @Test("spaces are equal when all their parts are, and an empty realm is not an absent one")
    func equality() {
        let space = ProtectionSpace(origin: origin, realm: Array("a".utf8), method: .basic)
        #expect(space == ProtectionSpace(origin: origin, realm: Array("a".utf8), method: .basic))
        #expect(space != ProtectionSpace(origin: origin, realm: Array("A".utf8), method: .basic))
        #expect(space != ProtectionSpace(origin: origin, realm: Array("a".utf8), method: .digest))
        let empty = ProtectionSpace(origin: origin, realm: [], method: .basic)
        #expect(empty != ProtectionSpace(origin: origin, realm: nil, method: .basic))
        #expect(Set([space, empty, space]).count == 2)
    }

    @Test("a parent's space has no scheme and is no origin's")
    func parents() {
        let parent = ProtectionSpace(parent: origin, realm: nil, method: .basic)
        #expect(parent.isProxy && parent.scheme == nil && parent.host == "example.com" && parent.port == 80)
        #expect(parent != ProtectionSpace(origin: origin, realm: nil, method: .basic))
    }
}
