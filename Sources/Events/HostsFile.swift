internal import Bytes

/// The names that hosts(5) gives addresses to.
struct HostsFile {
    private var table: [String: [IPAddress]] = [:]

    /// A file without a line.
    init() {}

    /// Reads the file's text; what is no address, or one with a zone, is passed over.
    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            let words = content.split {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r")
            }
            guard let first = words.first, let address = IPAddress(String(decoding: first, as: UTF8.self)) else {
                continue
            }
            for word in words.dropFirst() {
                let name = String(decoding: word.map { ASCII.lowercased($0) }, as: UTF8.self)
                if table[name]?.contains(address) != true { table[name, default: []].append(address) }
            }
        }
    }

    /// The addresses of a name in lower case, in the file's order.
    func addresses(of name: String) -> [IPAddress]? { table[name] }
}
