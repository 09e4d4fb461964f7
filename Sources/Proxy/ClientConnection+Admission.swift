internal import Rules

extension ClientConnection {
    /// Whether it may use the proxy under the rules in force; judged anew with each reload.
    var isAdmitted: Bool {
        let policy = worker.policy
        if judgedUnder !== policy {
            // Under other rules users may have to be told apart that weren't when it came.
            if judgedUnder != nil { worker.identify(&identity, at: stream) }
            judgedUnder = policy
            wasAdmitted = policy.configuration.admits(identity, by: policy.listeners[listener])
        }
        return wasAdmitted
    }

    /// Whether it may use the proxy under some login.
    var mayLogIn: Bool {
        let policy = worker.policy
        return policy.configuration.admits(identity, by: policy.listeners[listener], onceLoggedIn: true)
    }

    /// Its requests are those of this login from now on; nil: of nobody's.
    func logIn(_ name: String?) {
        guard identity.login != name else { return }
        identity.login = name
        guard let policy = judgedUnder, policy === worker.policy else { return }
        wasAdmitted = policy.configuration.admits(identity, by: policy.listeners[listener])
    }
}
