/// A Kerberos realm of the test's own: an MIT KDC on a loopback port, with its database in a scratch folder.
///
/// What talks to it gets `environment`, or the lines of its krb5.conf from `configuration`.
package final class KerberosRealm: Sendable {
    /// The realm's name.
    package let name: String
    /// The KDC's port, for UDP and TCP.
    package let port: UInt16
    /// Its krb5.conf, for clients and servers.
    package let configuration: String
    /// Where its files are; what a test adds there goes with them.
    package let folder: ScratchFolder
    private let kdc = Locked<TestProcess?>(nil)
    private let count = Locked(0)

    /// Makes a realm with these principals and starts its KDC.
    ///
    /// `services` get random keys; `users` are names and passwords, and have to pre-authenticate. No ticket is valid for longer
    /// than `lifetime`.
    package init(
        _ name: String = "COUNTERSIGN.TEST",
        services: [String] = ["HTTP/localhost"],
        users: [String: String] = [Login.username: Login.password],
        lifetime: String = "10h",
        libraryDefaults: [String] = []
    ) throws {
        self.name = name
        port = try FreePort.reserve()
        folder = try ScratchFolder("realm")
        try folder.folder("run")
        configuration = folder("krb5.conf")
        try folder.write(clientConfiguration(libraryDefaults), to: "krb5.conf")
        try folder.write(serverConfiguration(lifetime: lifetime), to: "kdc.conf")
        try run("kdb5_util", ["create", "-s", "-W", "-P", "master", "-r", name])
        try administer(
            services.map { "addprinc -randkey \($0)" }
                + users.sorted { $0.key < $1.key }.map {
                    "addprinc +requires_preauth -pw \(quoted($0.value)) \($0.key)"
                }
        )
        try start()
    }

    /// A word as kadmin reads it, with whatever is in it.
    private func quoted(_ word: String) -> String {
        "\"\(word.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    /// What a program of the realm has in its environment.
    package var environment: [String: String] {
        ["KRB5_CONFIG": configuration, "KRB5_KDC_PROFILE": folder("kdc.conf"), "KRB5CCNAME": cache("default")]
    }

    /// A full name in the realm.
    package func principal(_ name: String) -> String { "\(name)@\(self.name)" }

    /// The name of a cache in the realm's folder.
    package func cache(_ name: String) -> String { "FILE:\(folder("run/ccache-\(name)"))" }

    /// Runs `kadmin.local` with these queries.
    package func administer(_ queries: [String]) throws {
        // What it says of a query that failed is the only sign.
        let output = try run("kadmin.local", ["-r", name], input: queries.map { "\($0)\n" }.joined())
        guard !["while ", "unknown", "usage:"].contains(where: output.contains) else { throw TestFailure(output) }
    }

    /// A keytab with the present keys of these principals, which every server may read.
    package func keytab(_ principals: String...) throws -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let path = folder("run/keytab-\(number)")
        try administer(["ktadd -k \(path) -norandkey \(principals.joined(separator: " "))"])
        try run("chmod", ["644", path])
        return path
    }

    /// Gets a ticket as kinit does, into the cache of that name, and gives the cache's full name.
    @discardableResult
    package func login(
        _ user: String = Login.username,
        password: String = Login.password,
        cache name: String = "default",
        options: [String] = []
    ) throws -> String {
        let target = cache(name)
        try run("kinit", ["-c", target] + options + [principal(user)], input: "\(password)\n")
        return target
    }

    /// Starts the KDC, its clock going ahead of the machine's by so many seconds.
    package func start(clockOffset: Int = 0) throws {
        var environment = environment
        if clockOffset != 0 {
            environment["LD_PRELOAD"] = "libfaketime.so.1"
            environment["LD_LIBRARY_PATH"] = try KerberosRealm.falseTime()
            environment["FAKETIME"] = clockOffset < 0 ? "\(clockOffset)s" : "+\(clockOffset)s"
        }
        let process = try TestProcess("krb5kdc", ["-n", "-r", name], environment: environment)
        try waitUntilAccepting(port, of: process)
        kdc.withLock { $0 = process }
    }

    /// Ends the KDC.
    package func stop() { kdc.withLock { $0.take() }?.stop() }

    /// What the KDC has logged, a line a request: `AS_REQ (…) …: ISSUE: …`, `TGS_REQ …`, `PREAUTH_FAILED: …`.
    package var log: [String] { folder.text(of: "run/kdc.log").split(separator: "\n").map(String.init) }

    /// How many of the log's lines contain all of `parts`.
    package func count(_ parts: String...) -> Int {
        log.filter { line in parts.allSatisfy { line.contains($0) } }.count
    }

    private static func falseTime() throws -> String {
        for folder in ["x86_64-linux-gnu", "aarch64-linux-gnu"] {
            let path = "/usr/lib/\(folder)/faketime"
            if mode(of: "\(path)/libfaketime.so.1") != nil { return path }
        }
        throw TestFailure("libfaketime is not installed; `make setup` installs what the tests need")
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String], input: String = "") throws -> String {
        let process = try TestProcess(program, arguments, environment: environment, input: input)
        let exit = try process.waitForExit()
        guard exit == .status(0) else {
            throw TestFailure("\(program) \(arguments): \(exit)\n\(process.output)\(process.errors)")
        }
        return process.output + process.errors
    }

    private func clientConfiguration(_ more: [String]) -> String {
        """
        [libdefaults]
            \(more.joined(separator: "\n    "))
            default_realm = \(name)
            dns_lookup_kdc = false
            dns_lookup_realm = false
            dns_canonicalize_hostname = false
            rdns = false
            default_ccache_name = \(cache("default"))
        [realms]
            \(name) = {
                kdc = 127.0.0.1:\(port)
            }
        [domain_realm]
            localhost = \(name)

        """
    }

    private func serverConfiguration(lifetime: String) -> String {
        """
        [kdcdefaults]
            kdc_listen = 127.0.0.1:\(port)
            kdc_tcp_listen = 127.0.0.1:\(port)
        [realms]
            \(name) = {
                database_name = \(folder("run/principal"))
                key_stash_file = \(folder("run/stash"))
                acl_file = \(folder("run/acl"))
                max_life = \(lifetime)
                max_renewable_life = \(lifetime)
            }
        [logging]
            kdc = FILE:\(folder("run/kdc.log"))

        """
    }
}
