internal import Bytes
internal import Events
internal import PAC

/// A process of our own that runs one PAC file, killed where it takes too long (C-3); used on the lane's loop.
final class PACChild {
    /// Why there is no answer.
    enum Failure: Error, Equatable {
        /// It was killed at its deadline.
        case late
        /// It ended, or said what it may not.
        case ended
        /// The script, or the call of its function, failed; with the interpreter's words.
        case refused(String)
    }

    typealias Told = (Result<[UInt8], Failure>) -> Void

    /// How long a script may take to run, and a question to be answered.
    static let patience: Nanoseconds = .seconds(2)

    private let loop: EventLoop
    private var child: ServingChild?
    private var reader = PACFrameReader(longest: PACFrame.longestFromEvaluator)
    /// Who waits for the next answer.
    private var told: Told?
    private var deadline: Timer?

    /// Has `program` run a script; `told` is called once, with nothing where that went well.
    ///
    /// Throws where there can't be such a process; `told` isn't called then.
    init(
        _ loop: EventLoop,
        _ program: [String],
        script: [UInt8],
        told: @escaping (Failure?) -> Void
    ) throws(SystemError) {
        self.loop = loop
        child = try ServingChild(loop, program, environment: Self.environment) { [unowned self] bytes in
            received(bytes)
        } ended: { [unowned self] in
            fail(.ended)
        }
        converse(.script(script)) { result in
            switch result {
            case .success: told(nil)
            case .failure(let failure): told(failure)
            }
        }
    }

    /// It answers nothing, and may be asked nothing, any more.
    var hasEnded: Bool { child == nil }

    /// Asks the way of a URL; one question at a time.
    func ask(url: [UInt8], host: [UInt8], told: @escaping Told) {
        converse(.question(url: url, host: host), told: told)
    }

    /// Ends it untold.
    func end() {
        told = nil
        deadline = nil
        child?.kill()
        child = nil
    }

    /// The variables by which the time zone, names and libraries are found.
    private static var environment: [String] {
        ProcessSettings.environment.filter { entry in
            ["TZ=", "LD_LIBRARY_PATH=", "LOCALDOMAIN=", "RES_OPTIONS=", "HOSTALIASES="].contains(where: entry.hasPrefix)
        }
    }

    private func converse(_ frame: PACFrame, told: @escaping Told) {
        self.told = told
        deadline = Timer(loop, after: Self.patience) { [unowned self] in fail(.late) }
        child?.send(frame.bytes)
    }

    private func received(_ bytes: Span<UInt8>) {
        reader.append(bytes)
        while true {
            switch reader.next() {
            case .needMore: return
            case .frame(.loaded): tell(.success([]))
            case .frame(.result(let text)): tell(.success(text))
            case .frame(.failed(let words)): tell(.failure(.refused(Self.text(words))))
            case .frame(.script), .frame(.question), .malformed: return fail(.ended)
            }
        }
    }

    private func tell(_ result: Result<[UInt8], Failure>) {
        // What nobody asked for says that it isn't the evaluator any more.
        guard let told else { return fail(.ended) }
        self.told = nil
        deadline = nil
        told(result)
    }

    private func fail(_ failure: Failure) {
        let told = told
        end()
        told?(.failure(failure))
    }

    /// The interpreter's words in one line; none where a login may stand in them, as in a line of the script (S-5).
    private static func text(_ words: [UInt8]) -> String {
        if ["@", "%40"].contains(where: { words.contains(Array($0.utf8)) }) {
            return "a mistake whose words may hold a login and aren't told"
        }
        let line = words.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 }
        return String(decoding: line.prefix(300), as: UTF8.self).split(separator: " ").joined(separator: " ")
    }
}
