internal import Authentication
internal import Configuration
import HTTP
internal import Rules

/// `countersign explain`: what the rule file means for one request (O-5).
enum ExplainCommand {
    /// Writes the explanation; returns the exit code.
    static func explain(_ request: ExplainRequest, out: (String) -> Void, problem: (String) -> Void) -> Int32 {
        switch RuleFilePath.load(request.config, readsSecrets: false, problem: problem) {
        case .success(let configuration):
            let question = Explanation.Question(
                origin: request.origin,
                path: request.path,
                method: request.method,
                challenges: challenges(request.challenges),
                proxyChallenges: challenges(request.proxyChallenges),
                now: SystemFiles.now
            )
            for line in Explanation(question, in: configuration).lines {
                out(line.topic + String(repeating: " ", count: max(1, 11 - line.topic.count)) + line.text)
            }
            return 0
        case .failure(let failure): return failure.exitCode
        }
    }

    private static func challenges(_ values: [String]) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        for value in values {
            let bytes = Array(value.utf8)
            parser.parse(bytes.span)
        }
        return parser.finish()
    }
}
