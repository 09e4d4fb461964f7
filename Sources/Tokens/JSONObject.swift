internal import Bytes
internal import CJansson
internal import Crypto
internal import Glibc

/// A JSON object, read by libjansson into memory that is wiped when it is given back.
@safe struct JSONObject: ~Copyable {
    /// One value of it, as far as anything is made of it.
    enum Value {
        case text(Secret)
        case number(Double)
        case other
    }

    /// Arrays and objects inside each other, beyond which a text isn't read.
    static let deepest = 16

    private let root: UnsafeMutablePointer<json_t>

    /// Reads a text [RFC 8259] that is one object without a name twice; nil for any other.
    init?(_ text: Span<UInt8>) {
        guard Self.isShallow(text), let loaded = unsafe Self.load(text) else { return nil }
        unsafe root = loaded
    }

    private static func load(_ text: Span<UInt8>) -> UnsafeMutablePointer<json_t>? {
        JSONMemory.isWiped()
        var error = json_error_t()
        let loaded = unsafe text.withUnsafeBytes { bytes in
            unsafe json_loadb(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                bytes.count,
                Int(JSON_REJECT_DUPLICATES),
                &error
            )
        }
        guard let loaded = unsafe loaded, unsafe loaded.pointee.type != JSON_OBJECT else { return unsafe loaded }
        unsafe json_decref(loaded)
        return nil
    }

    deinit { unsafe json_decref(root) }

    /// The value of that name; nil where there is none, or null.
    func value(_ name: String) -> Value? {
        guard let value = unsafe json_object_get(root, name) else { return nil }
        switch unsafe value.pointee.type {
        case JSON_NULL: return nil
        case JSON_STRING:
            let bytes = unsafe UnsafeRawBufferPointer(
                start: json_string_value(value),
                count: json_string_length(value)
            )
            return .text(Secret(unsafe bytes.bindMemory(to: UInt8.self).span))
        case JSON_INTEGER, JSON_REAL: return .number(unsafe json_number_value(value))
        default: return .other
        }
    }

    /// Whether no more than `deepest` brackets are open at any place; strings are passed over.
    private static func isShallow(_ text: Span<UInt8>) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString: depth += 1
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth -= 1
            default: break
            }
            if depth > deepest { return false }
        }
        return true
    }
}

/// What libjansson allocates: it may hold tokens, so it is overwritten before it is given back.
private enum JSONMemory {
    /// The size of what was allocated lies before it; 16 bytes, so that the alignment stays.
    private static let header = 16

    private static let isSet: Void = unsafe json_set_alloc_funcs(
        { count in
            guard let memory = unsafe malloc(count + JSONMemory.header) else { return nil }
            unsafe memory.storeBytes(of: count, as: Int.self)
            return unsafe memory + JSONMemory.header
        },
        { pointer in
            guard let pointer = unsafe pointer else { return }
            let memory = unsafe pointer - JSONMemory.header
            unsafe explicit_bzero(memory, unsafe memory.load(as: Int.self) + JSONMemory.header)
            unsafe free(memory)
        }
    )

    /// Called before anything is read: libjansson knows one allocator for the process.
    static func isWiped() { isSet }
}
