package import Bytes
internal import CEvent
internal import Glibc

/// Why a name has no address.
package enum ResolverError: Error, Equatable, Sendable {
    /// The name exists nowhere, or has no address.
    case notFound
    /// No name server answered, or the system's resolver failed.
    case failed
    /// The time was up.
    case timedOut
    /// Too many names are being looked up already.
    case busy
}

/// The process's threads that ask the system's resolver, which blocks.
///
/// A thread is started for a question and ends when no more wait, so an idle process has none.
package final class ResolverThreads: Sendable {
    /// The addresses of a name in the system's order, or why there are none.
    package typealias Answer = Result<[IPAddress], ResolverError>

    struct Question: Sendable {
        let host: String
        let answer: @Sendable (Answer) -> Void
    }

    private struct State {
        var questions: [Question] = []
        var running = 0
    }

    /// How many names may wait for a thread.
    private static let largestQueue = 1024

    private let state = Locked(State())
    private let largestNumber: Int
    private let lookUp: @Sendable (String) -> Answer

    /// At most so many threads run at a time; tests give their own `lookUp`.
    package init(atMost largestNumber: Int = 8, lookUp: @escaping @Sendable (String) -> Answer = systemLookUp) {
        self.largestNumber = largestNumber
        self.lookUp = lookUp
    }

    /// False if too many names wait already.
    func ask(_ question: Question) -> Bool {
        let (isTaken, startsThread) = state.withLock { state in
            guard state.questions.count < Self.largestQueue else { return (false, false) }
            state.questions.append(question)
            guard state.running < largestNumber else { return (true, false) }
            state.running += 1
            return (true, true)
        }
        guard startsThread else { return isTaken }
        do throws(SystemError) {
            _ = try SystemThread("resolver") { self.serve() }
            return true
        } catch {
            return state.withLock { state in
                state.running -= 1
                // The others will come to it; with nobody else it must not wait for ever.
                if state.running == 0 { state.questions.removeAll() }
                return state.running > 0
            }
        }
    }

    private func serve() {
        while let question = next() { question.answer(lookUp(question.host)) }
    }

    private func next() -> Question? {
        state.withLock { state in
            if state.questions.isEmpty {
                state.running -= 1
                return nil
            }
            return state.questions.removeFirst()
        }
    }
}

/// Asks the system's resolver for the addresses of `host`; blocks.
@Sendable package func systemLookUp(_ host: String) -> ResolverThreads.Answer {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
        // −5 is EAI_NODATA, which glibc declares for GNU sources only: the name is there but has no address.
        return .failure(code == EAI_NONAME || code == -5 ? .notFound : .failed)
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
        if let address = unsafe ipAddress(of: entry), !addresses.contains(address) { addresses.append(address) }
        unsafe next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failure(.notFound) : .success(addresses)
}

private func ipAddress(of entry: UnsafeMutablePointer<addrinfo>) -> IPAddress? {
    var storage = sockaddr_storage()
    unsafe withUnsafeMutableBytes(of: &storage) { bytes in
        let length = unsafe min(Int(entry.pointee.ai_addrlen), bytes.count)
        unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: length))
    }
    return SocketAddress(storage)?.address
}
