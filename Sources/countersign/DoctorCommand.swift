internal import Configuration
internal import Events
internal import GSS
internal import Rules

/// `countersign doctor`: walks to a URL as the proxy would, up to but not including a secret (O-8).
enum DoctorCommand {
    /// Writes what each step saw, once it is done; returns the exit code, 1 where something would fail.
    static func examine(_ request: DoctorRequest, out: @escaping (String) -> Void, problem: (String) -> Void) -> Int32 {
        KerberosProfile.install()
        ProcessSettings.ignoreBrokenPipes()
        var first = DoctorStep(name: "rules")
        let configuration: ServerConfiguration
        switch Self.configuration(request.config, &first, problem) {
        case .success(let read): configuration = read
        case .failure(let failure): return failure.exitCode
        }
        let walk = DoctorWalk(request, configuration) { step in
            out(request.isJSON ? step.json : step.text)
        }
        walk.tell(first)
        walk.run()
        if !request.isJSON { out(walk.summary) }
        return walk.failures.isEmpty ? 0 : 1
    }

    /// The rules, with their secrets where these can be read; none at all where no file is named and none is at hand.
    private static func configuration(
        _ config: String?,
        _ step: inout DoctorStep,
        _ problem: (String) -> Void
    ) -> Result<ServerConfiguration, RuleFilePath.Failure> {
        let path = config ?? RuleFilePath.usual()
        let environment = EnvironmentSecrets()
        let whole = RuleFile.load(path: path, environment: environment, materials: TLSMaterials())
        if let configuration = whole.configuration {
            step.lines.append("\(path): \(configuration.rules.rules.count) rules")
            return .success(configuration)
        }
        if config == nil, whole.isUnreadable {
            step.lower(to: .warn, "there is no rule file: a proxy without rules goes directly and answers nobody")
            let none = RuleFile.load(text: "version: 1\n", name: "", environment: environment)
            if let configuration = none.configuration { return .success(configuration) }
        }
        let masked = RuleFile.load(path: path, environment: environment, readsSecrets: false)
        guard let configuration = masked.configuration else {
            for diagnostic in masked.diagnostics { problem(diagnostic.rendered) }
            return .failure(RuleFilePath.Failure(exitCode: masked.isUnreadable ? 2 : 1))
        }
        step.lower(to: .fail, "\(path): it can't be put into force by this user", cure: "countersign check \(path)")
        for diagnostic in whole.diagnostics
        where !masked.diagnostics.contains(where: { $0.rendered == diagnostic.rendered }) {
            step.lines += diagnostic.rendered.split(separator: "\n").prefix(1).map(String.init)
        }
        return .success(configuration)
    }
}
