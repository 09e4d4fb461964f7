import Foundation
import Support

/// A run of `countersign doctor`.
struct Doctor {
    struct Step: Decodable {
        let step: String
        let verdict: String
        let saw: [String]
        let cure: String?
    }

    let status: Int32
    let steps: [Step]
    let errors: String

    /// Asks it about a URL under these rules, to which a listener and a `state` folder are added.
    init(
        _ url: String,
        _ rules: String,
        folder: ScratchFolder? = nil,
        timeout: Int = 5,
        environment: [String: String] = [:]
    ) throws {
        let folder = try folder ?? ScratchFolder("doctor")
        let text = "version: 1\nlisteners: [{ address: \"127.0.0.1:1\" }]\nstate: state\n" + rules
        let file = try folder.write(text, to: "doctor.yaml", mode: 0o600)
        let arguments = ["doctor", url, "--json", "--timeout", "\(timeout)", "--config", file]
        let outcome = try Binary.run(arguments, environment: environment)
        status = outcome.status
        errors = outcome.errors
        steps = try outcome.output.split(separator: "\n").map { line in
            try JSONDecoder().decode(Step.self, from: Data(line.utf8))
        }
    }

    /// The names of the steps with their verdicts, those that are well alone by their names.
    var verdicts: [String] { steps.map { $0.verdict == "ok" ? $0.step : "\($0.step) \($0.verdict)" } }

    /// Whether a line of that step has the text in it.
    func saw(_ step: String, _ text: String) -> Bool {
        steps.contains { $0.step == step && $0.saw.contains { $0.contains(text) } }
    }

    /// The cure of a step.
    func cure(_ step: String) -> String? { steps.first { $0.step == step }?.cure }
}
