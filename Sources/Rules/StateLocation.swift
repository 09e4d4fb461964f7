/// Where the ledger is kept and where control sockets are made (A-7b).
package struct StateLocation: Hashable, Sendable {
    /// The folder of the ledger; nil: it is kept in memory.
    package var folder: String?
    /// Where the control socket goes while the ledger is in memory; nil: there is none.
    package var runtimeFolder: String?

    /// A location in both its parts.
    package init(folder: String?, runtimeFolder: String?) {
        self.folder = folder
        self.runtimeFolder = runtimeFolder
    }

    /// The location that the rule file's `state` (an absolute path) and the environment give.
    package init(state: String?, environment: (String) -> String?) {
        func absolute(_ name: String) -> String? {
            environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        // systemd separates the folders of a unit that has several by colons; the first one is ours.
        let systemd = absolute("STATE_DIRECTORY").map { String($0.prefix { $0 != ":" }) }
        let home = absolute("XDG_STATE_HOME") ?? absolute("HOME").map { $0 + "/.local/state" }
        folder = state ?? systemd ?? home.map { $0 + "/countersign" }
        runtimeFolder = absolute("XDG_RUNTIME_DIR").map { $0 + "/countersign" }
    }
}
