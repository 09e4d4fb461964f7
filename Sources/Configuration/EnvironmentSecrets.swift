package import Crypto
internal import Glibc
internal import Synchronization

/// The process's environment, and the secrets that were taken out of it.
///
/// A secret named by `{ env: NAME }` is read once, when it is first asked for, kept over reloads by whoever keeps this
/// object, and overwritten in the environment, so that neither a child process nor /proc shows it.
package final class EnvironmentSecrets: Sendable {
    private let taken = Mutex<[String: Secret]>([:])
    private let look: @Sendable (String) -> String?
    private let take: @Sendable (String) -> Secret?

    /// The environment of this process.
    package convenience init() {
        self.init(look: Self.processVariable, take: Self.takeFromProcess)
    }

    /// An environment of the caller's own, for tests.
    ///
    /// - Parameters:
    ///   - look: the value of an ordinary variable.
    ///   - take: the value of a variable that holds a secret; called at most once for a name that is set.
    package init(
        look: @escaping @Sendable (String) -> String?,
        take: @escaping @Sendable (String) -> Secret?
    ) {
        self.look = look
        self.take = take
    }

    /// The secret in a variable; nil where it isn't set.
    package func secret(_ name: String) -> Secret? {
        taken.withLock { taken in
            if let secret = taken[name] { return secret }
            guard let secret = take(name) else { return nil }
            taken[name] = secret
            return secret
        }
    }

    /// The value of a variable that holds no secret, such as HOME; nil where it isn't set or empty.
    package func variable(_ name: String) -> String? {
        look(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The home of the user that runs the process.
    package var home: String? {
        variable("HOME")
    }

    private static func processVariable(_ name: String) -> String? {
        if let value = unsafe getenv(name) { return unsafe String(cString: value) }
        return name == "HOME" ? homeInPasswordFile() : nil
    }

    /// The home of the user by the user database, for a service that was started without HOME.
    private static func homeInPasswordFile() -> String? {
        var entry = unsafe passwd()
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            var found: UnsafeMutablePointer<passwd>?
            guard let base = buffer.baseAddress else { return nil }
            guard unsafe getpwuid_r(geteuid(), &entry, base, buffer.count, &found) == 0 else { return nil }
            guard let home = unsafe found?.pointee.pw_dir else { return nil }
            return unsafe String(cString: home)
        }
    }

    private static func takeFromProcess(_ name: String) -> Secret? {
        guard let value = unsafe getenv(name) else { return nil }
        let length = unsafe strlen(value)
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: value, count: length)
        let secret = Secret(unsafe bytes.bindMemory(to: UInt8.self).span)
        unsafe explicit_bzero(value, length)
        return secret
    }
}
