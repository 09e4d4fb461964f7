internal import Glibc

/// Why the ledger's folder or its file could not be used.
package struct StorageError: Error, Equatable {
    /// What was tried.
    package enum Operation: String, Sendable {
        /// The folder could not be made.
        case makeFolder = "make"
        /// A file of it could not be opened.
        case open
        /// It could not be read.
        case read
        /// It could not be written.
        case write
        /// It could not be put in place of the old one.
        case replace
        /// Another process held the lock for too long.
        case lock
    }

    /// What was tried.
    package var operation: Operation
    /// On which file.
    package var path: String
    /// The system's error number.
    package var number: Int32

    init(_ operation: Operation, _ path: String, number: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// One line for the log: `can't open /x/ledger: Permission denied`.
    package var message: String {
        var text = [CChar](repeating: 0, count: 256)
        let isKnown = unsafe strerror_r(number, &text, text.count) == 0
        let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "can't \(operation.rawValue) \(path): \(isKnown ? reason : "error \(number)")"
    }
}
