/// The page on the admin listener.
enum StatusPage {
    static let bytes: [UInt8] = Array("<!doctype html><title>countersign</title>\n".utf8)
    static let contentSecurityPolicy = "default-src 'none'"
}
