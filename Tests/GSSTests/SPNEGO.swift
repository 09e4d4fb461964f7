#if GSSAPI
    internal import Support

    /// The first token of SPNEGO [RFC 4178, section 4.2.1], read apart from the library.
    enum SPNEGO {
        static let kerberos: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02]
        static let ntlm: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0A]

        /// The identifiers of the mechanisms that it offers, in their order.
        static func mechanisms(_ token: [UInt8]) throws -> [[UInt8]] {
            var outer = DER(token)
            var initial = DER(try outer.take(0x60))
            guard try initial.take(0x06) == [0x2B, 0x06, 0x01, 0x05, 0x05, 0x02] else { throw TestFailure("no SPNEGO") }
            var choice = DER(try initial.take(0xA0))
            var sequence = DER(try choice.take(0x30))
            var field = DER(try sequence.take(0xA0))
            var list = DER(try field.take(0x30))
            var found: [[UInt8]] = []
            while !list.isEmpty { found.append(try list.take(0x06)) }
            return found
        }

        private struct DER {
            var rest: ArraySlice<UInt8>

            init(_ bytes: [UInt8]) { rest = bytes[...] }

            var isEmpty: Bool { rest.isEmpty }

            mutating func take(_ tag: UInt8) throws -> [UInt8] {
                guard rest.popFirst() == tag, var length = rest.popFirst().map(Int.init) else {
                    throw TestFailure("no element of type \(tag)")
                }
                if length > 0x80 {
                    let digits = rest.prefix(length - 0x80)
                    rest = rest.dropFirst(digits.count)
                    length = digits.reduce(0) { $0 << 8 | Int($1) }
                }
                defer { rest = rest.dropFirst(length) }
                return Array(rest.prefix(length))
            }
        }
    }
#endif
