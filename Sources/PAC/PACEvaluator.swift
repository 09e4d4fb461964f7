internal import CPacparser
internal import Glibc

/// The process that runs PAC files, whose code is foreign: it answers on standard output what is asked on standard input
/// until that ends (C-3).
package enum PACEvaluator {
    /// The argument with which the program is started for this.
    package static let argument = "pac-evaluator"
    /// Processor time that one question may take, in seconds, should nobody end it before.
    private static let mostSeconds: rlim_t = 10
    /// By how many bytes it may grow beyond what it had when its script had run.
    private static let mostGrowth = 64 << 20
    /// Fails where the script before it was no PAC file, such as the page of a captive portal.
    private static let check = """
        if (typeof FindProxyForURL != 'function') throw 'it defines no function FindProxyForURL';
        """

    /// Serves until standard input ends, and gives the exit status: 1 where what came was no frame.
    ///
    /// It ends behind an answer too where it has grown too large: another process takes its place.
    package static func serve() -> Int32 {
        // What it says of mistakes is collected.
        unsafe pacparser_set_error_printer(collectWords)
        var reader = PACFrameReader(longest: PACFrame.longestToEvaluator)
        var isReady = false
        var sizeAtFirst = 0
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return 0 }
            reader.append(bytes.span.extracting(0..<count))
            var step = reader.next()
            while step != .needMore {
                guard case .frame(let frame) = step, let answer = answer(to: frame, &isReady) else { return 1 }
                guard write(answer) else { return 0 }
                if answer == .loaded { sizeAtFirst = residentSize() }
                if residentSize() - sizeAtFirst > mostGrowth { return 0 }
                step = reader.next()
            }
        }
    }

    private static func answer(to frame: PACFrame, _ isReady: inout Bool) -> PACFrame? {
        grantTime()
        unsafe words = []
        switch frame {
        case .script(let script):
            if isReady { pacparser_cleanup() }
            isReady = load(script)
            return isReady ? .loaded : .failed(unsafe words)
        case .question(let url, let host):
            guard isReady, let result = find(url, host) else { return .failed(unsafe words) }
            return .result(result)
        case .loaded, .result, .failed: return nil
        }
    }

    private static func load(_ script: [UInt8]) -> Bool {
        guard pacparser_init() == 1 else { return false }
        let text = script.map { CChar(bitPattern: $0) } + [0]
        guard unsafe pacparser_parse_pac_string(PACFunctions.script) == 1, unsafe pacparser_parse_pac_string(text) == 1,
            unsafe pacparser_parse_pac_string(check) == 1
        else {
            pacparser_cleanup()
            return false
        }
        return true
    }

    private static func find(_ url: [UInt8], _ host: [UInt8]) -> [UInt8]? {
        // It may have changed since the last question.
        let address = OwnAddress.now().utf8CString
        unsafe address.withUnsafeBufferPointer { text in
            if let base = text.baseAddress { unsafe pacparser_setmyip(base) }
        }
        let result = unsafe pacparser_find_proxy(
            PACQuestionText.escaped(url).map { CChar(bitPattern: $0) } + [0],
            PACQuestionText.escaped(host).map { CChar(bitPattern: $0) } + [0]
        )
        guard let result = unsafe result else { return nil }
        return Array(unsafe String(cString: result).utf8)
    }

    private static func write(_ frame: PACFrame) -> Bool {
        let bytes = frame.bytes
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress?.advanced(by: sent), $0.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// The memory that it has, in bytes; 0 where that can't be told.
    private static func residentSize() -> Int {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = unsafe text.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        let fields = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Lets it run for so long from now on.
    private static func grantTime() {
        var usage = rusage()
        _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        let used = rlim_t(max(0, usage.ru_utime.tv_sec + usage.ru_stime.tv_sec))
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_CPU.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, used + mostSeconds)
        _ = unsafe setrlimit(resource, &limit)
    }

    /// What the library said since the last question; there is one thread.
    nonisolated(unsafe) fileprivate static var words: [UInt8] = []
}

/// A question's text as it may stand between quotes in a script, whatever the library does with them.
package enum PACQuestionText {
    /// The text with all that isn't plain in a URL percent-encoded, quotes and backslashes among it.
    package static func escaped(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte in
            let isPlain = byte > 0x20 && byte < 0x7f && !"'\"\\<>`".utf8.contains(byte)
            let digits = Array("0123456789ABCDEF".utf8)
            return isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}

private func collectWords(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) -> Int32 {
    guard let format = unsafe format, let arguments = unsafe arguments else { return 0 }
    var text = [CChar](repeating: 0, count: 1024)
    let count = unsafe vsnprintf(&text, text.count, format, arguments)
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    if !bytes.starts(with: "DEBUG".utf8), unsafe PACEvaluator.words.count < 4096 {
        unsafe PACEvaluator.words += bytes
    }
    return count
}
