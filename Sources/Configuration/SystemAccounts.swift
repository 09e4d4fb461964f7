internal import Glibc
package import Rules

extension Accounts {
    /// Those of this machine, with all that NSS knows.
    package static let system = Accounts(user: userNumber, group: groupNumber)

    @Sendable private static func userNumber(_ name: String) -> UInt32? {
        var entry = unsafe passwd()
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            var found: UnsafeMutablePointer<passwd>?
            guard let base = buffer.baseAddress else { return nil }
            guard unsafe getpwnam_r(name, &entry, base, buffer.count, &found) == 0 else { return nil }
            return unsafe found?.pointee.pw_uid
        }
    }

    @Sendable private static func groupNumber(_ name: String) -> UInt32? {
        var entry = unsafe Glibc.group()
        // A group's members stand in it, too.
        var buffer = [CChar](repeating: 0, count: 1 << 20)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            var found: UnsafeMutablePointer<Glibc.group>?
            guard let base = buffer.baseAddress else { return nil }
            guard unsafe getgrnam_r(name, &entry, base, buffer.count, &found) == 0 else { return nil }
            return unsafe found?.pointee.gr_gid
        }
    }
}
