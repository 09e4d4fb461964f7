/// How the names of a process are looked up; every loop's resolver follows a change at its next question.
package final class NameService: Sendable {
    /// Who looks them up.
    package enum Kind: Equatable, Sendable {
        /// The system's resolver, on threads of its own, with all that NSS offers.
        case system
        /// Name servers [RFC 1035], asked on the loop: these, or those of resolv.conf where there are none; a port of 0
        /// is 53.
        case nameServers([SocketAddress])
    }

    /// Where the system keeps its answers and settings.
    package struct Files: Equatable, Sendable {
        /// Names and addresses, as hosts(5) has it.
        package let hosts: String
        /// Name servers and search domains, as resolv.conf(5) has it.
        package let settings: String

        /// These two files.
        package init(hosts: String, settings: String) {
            self.hosts = hosts
            self.settings = settings
        }

        /// Those of the system.
        package static let system = Files(hosts: "/etc/hosts", settings: "/etc/resolv.conf")
    }

    struct Setting: Sendable {
        var kind: Kind
        /// Another one, other answers.
        var version: UInt64 = 1
    }

    let threads: ResolverThreads
    let files: Files
    private let state: Locked<Setting>

    /// A service of this kind; tests give their own threads and files.
    package init(_ kind: Kind, threads: ResolverThreads = ResolverThreads(), files: Files = .system) {
        self.threads = threads
        self.files = files
        state = Locked(Setting(kind: kind))
    }

    var setting: Setting { state.withLock { $0 } }

    /// Has names looked up that way from now on.
    package func change(to kind: Kind) {
        state.withLock { setting in
            guard setting.kind != kind else { return }
            setting.kind = kind
            setting.version += 1
        }
    }
}
