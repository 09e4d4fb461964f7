internal import Configuration
import Proxy
internal import Rules

/// `countersign status`: how the running processes are; with `--ready` a health check (O-2).
enum StatusCommand {
    /// Writes what the processes tell; returns the exit code, 0 where one of them takes requests.
    static func tell(_ request: StatusRequest, out: (String) -> Void, problem: (String) -> Void) -> Int32 {
        func complain(_ line: String) {
            if request.form != .readiness { problem(line) }
        }
        guard let (location, admin) = place(request.config, complain) else { return 2 }
        var inquiry = StatusInquiry(at: location, admin: admin)
        let answers = inquiry.answers(form(request.form))
        for answer in answers {
            if request.form == .text, let process = answer.process { out("process \(process)") }
            for line in answer.lines { out(line) }
        }
        for line in inquiry.problems { complain(line) }
        if answers.isEmpty { complain("countersign: no process of these rules runs here") }
        return answers.contains(where: \.isReady) ? 0 : 1
    }

    /// Where the processes are found. A file with errors doesn't end what runs under the rules before it, so that the usual
    /// place has to do; nil where there is no file.
    private static func place(
        _ config: String?,
        _ problem: (String) -> Void
    ) -> (StateLocation, AdminConfiguration?)? {
        switch RuleFilePath.load(config, readsSecrets: false, problem: problem) {
        case .success(let configuration): return (configuration.state, configuration.admin)
        case .failure(let failure):
            guard failure.exitCode == 1 else { return nil }
            let environment = EnvironmentSecrets()
            return (StateLocation(state: nil) { environment.variable($0) }, nil)
        }
    }

    private static func form(_ form: StatusRequest.Form) -> StatusInquiry.Form {
        switch form {
        case .readiness: .readiness
        case .text: .text
        case .json: .json
        }
    }
}
