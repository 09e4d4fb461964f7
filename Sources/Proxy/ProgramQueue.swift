internal import Authentication
internal import Bytes
internal import Crypto
internal import Events

/// Runs programs as children on a loop, one at a time for a credential.
final class ProgramQueue {
    /// A program that is to run.
    struct Job {
        let arguments: [String]
        /// What it reads; nil: nothing.
        let input: Secret?
        let timeout: Nanoseconds
        let told: (Result<Secret, Failure>) -> Void
    }

    /// Why a program gave nothing. Its arguments may be secret, so that none of them is told.
    enum Failure: Error {
        case tooMany
        case notStarted(String)
        case exited(Int32)
        case signalled(Int32)
        case timedOut
        case printedTooMuch

        var text: String {
            switch self {
            case .tooMany: "too many requests wait for its program"
            case .notStarted(let reason): "its program can't be started: \(reason)"
            case .exited(let status): "its program ended with status \(status)"
            case .signalled(let signal): "its program was ended by signal \(signal)"
            case .timedOut: "its program didn't end in time"
            case .printedTooMuch: "its program printed too much"
            }
        }
    }

    /// Those that may wait for one credential's program.
    static let mostWaiting = 1000

    private let loop: EventLoop
    private var running: [CredentialKey: ChildProcess] = [:]
    private var waiting: [CredentialKey: [Job]] = [:]

    init(_ loop: EventLoop) { self.loop = loop }

    /// Runs `job` when those before it have ended.
    func run(_ job: Job, for key: CredentialKey) {
        guard running[key] != nil else { return start(job, for: key) }
        guard waiting[key, default: []].count < Self.mostWaiting else { return job.told(.failure(.tooMany)) }
        waiting[key, default: []].append(job)
    }

    /// Ends all programs, untold.
    func stop() {
        waiting.removeAll()
        for child in running.values { child.cancel() }
        running.removeAll()
    }

    private func start(_ job: Job, for key: CredentialKey) {
        var input = job.input?.withBytes { [UInt8]($0) } ?? []
        do {
            running[key] = try ChildProcess(
                loop,
                job.arguments,
                wiping: &input,
                timeout: job.timeout
            ) { [unowned self] ending, output in
                running[key] = nil
                job.told(Self.result(ending, &output))
                startNext(for: key)
            }
        } catch {
            job.told(.failure(.notStarted(error.reason)))
            startNext(for: key)
        }
    }

    private func startNext(for key: CredentialKey) {
        guard running[key] == nil, let next = waiting[key]?.first else { return }
        waiting[key]?.removeFirst()
        if waiting[key]?.isEmpty == true { waiting[key] = nil }
        start(next, for: key)
    }

    private static func result(_ ending: ChildProcess.Ending, _ output: inout [UInt8]) -> Result<Secret, Failure> {
        switch ending {
        case .exited(0): .success(Secret(wiping: &output))
        case .exited(let status): .failure(.exited(status))
        case .signalled(let signal): .failure(.signalled(signal))
        case .timedOut: .failure(.timedOut)
        case .printedTooMuch: .failure(.printedTooMuch)
        }
    }
}
