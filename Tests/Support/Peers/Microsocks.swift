/// microsocks as a SOCKS5 proxy that reaches every port of this machine.
package final class Microsocks: Sendable {
    package let port: UInt16
    package let process: TestProcess

    /// Starts it; it demands the tests' login, or none.
    package init(demandsLogin: Bool) throws {
        port = try FreePort.reserve()
        let login = demandsLogin ? ["-u", Login.username, "-P", Login.password] : []
        process = try TestProcess("microsocks", ["-i", "127.0.0.1", "-p", "\(port)"] + login)
        try waitUntilAccepting(port, of: process)
    }
}
