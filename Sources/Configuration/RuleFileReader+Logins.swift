internal import Authentication
internal import Rules

extension RuleFileReader {
    /// Who has to log in; nil where nothing is written, or where it can't be read, which is told.
    mutating func readRequire(_ node: YAMLNode?) -> LoginRequirement? {
        guard let node, !node.isFaulty, !node.isEmptyPlain else { return nil }
        if node.entries == nil {
            return text(node, as: .choice(["none"])) == nil ? nil : LoginRequirement.none
        }
        guard let written = node["htpasswd"], let path = path(written) else { return nil }
        watch(path)
        guard readsSecrets else { return .htpasswd(path: path, content: []) }
        do throws(FileError) {
            let content = try files.contents(of: path, limit: YAMLLimits.size)
            check(content, written)
            return .htpasswd(path: path, content: content)
        } catch {
            self.error(written, "the file of logins can't be read: \(error.message)")
            return nil
        }
    }

    /// Tells what is wrong with a password file; never a part of a hash.
    private mutating func check(_ content: [UInt8], _ node: YAMLNode) {
        do throws(HtpasswdFile.Failure) {
            let file = try HtpasswdFile(content.span)
            if file.count == 0 { error(node, "the file of logins is empty: htpasswd -B makes entries") }
        } catch {
            self.error(node, "line \(error.line) of the file of logins: \(error.message)")
        }
    }

    // MARK: where a login can't hold

    /// What can't be said together with a login at the proxy, or without one (R-9, A-13).
    mutating func checkLogins(_ root: YAMLNode) {
        var someoneLogsIn = false
        for (node, listener) in zip(listenerNodes, listeners) {
            let requires = (listener.require ?? access.require) != LoginRequirement.none
            if let why = listener.mode.whyNobodyLogsIn, requires {
                let place = node.entry("require")?.key ?? node["mode"] ?? node
                let advice =
                    listener.require == nil ? ": write 'require: none' here and say who may come under 'clients'" : ""
                error(place, "\(why)\(advice)")
            } else if requires {
                someoneLogsIn = true
            }
        }
        if listenerNodes.isEmpty { someoneLogsIn = access.require != LoginRequirement.none }
        isLoginAsked = someoneLogsIn
        let isKnown = root["access"]?["require"] == nil && listenerNodes.allSatisfy { $0["require"] == nil }
        guard !someoneLogsIn, isKnown else { return }
        for node in logins {
            warning(
                node,
                "nobody logs in at the proxy: \(Quoting.quoted(node.text ?? "")) needs 'require' under 'access'"
            )
        }
    }

    /// A client's own login for a parent beside its login at the proxy: both would stand in Proxy-Authorization (A-13).
    mutating func refuseLoginForParents() {
        guard isLoginAsked else { return }
        for entry in rules {
            guard entry.rule.space.isProxy, case .performDefaultHandling = entry.rule.disposition else { continue }
            let node = entry.node.entry("disposition")?.key ?? entry.node
            error(node, "clients log in at this proxy ('require'), so a parent's 407 can't be left to them")
        }
    }
}

extension ListenerConfiguration.Mode {
    /// Why no client can log in where connections are taken so; nil: they can.
    fileprivate var whyNobodyLogsIn: String? {
        switch self {
        case .forward, .socks5: nil
        case .fixed: "clients of a 'fixed' listener take it for the origin, so they can't log in at a proxy"
        case .transparent: "clients of a 'transparent' listener don't know of the proxy, so they can't log in at it"
        case .tunnel: "a 'tunnel' listener passes bytes on, so nobody can log in at it"
        }
    }
}
