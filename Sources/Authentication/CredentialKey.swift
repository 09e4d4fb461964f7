/// A credential of the rule file as the ledger knows it: its name, and which of the secrets that it has had.
///
/// An exchange keeps the key that it began with, so that a verdict on an old secret never meets a new one.
package struct CredentialKey: Hashable, Sendable {
    /// The name in the rule file.
    package let name: String
    /// Rises when the secret of that name changes while the process runs.
    package let generation: UInt32

    /// The key of the secret that `name` has had since its `generation`-th change.
    package init(name: String, generation: UInt32 = 0) {
        self.name = name
        self.generation = generation
    }
}
