internal import Bytes
internal import Rules

/// Whose login is looked at next, and when a wrong one is told; without threads or a clock of its own.
///
/// Clients take turns, and one client's guesses are looked at only so many at a time, the wait behind a wrong one
/// included: who guesses holds up nobody but himself.
struct LoginQueue {
    typealias Job = UInt64

    /// How long after it was looked at a wrong login is told at the earliest.
    static let delay: Nanoseconds = .seconds(1)
    /// Logins of one client that are looked at, or wait to be told, at a time.
    static let mostHeld = 8
    /// Logins of one client that wait.
    static let mostWaiting = 128
    /// Logins that wait, over all clients.
    static let most = 8192

    private struct Turn {
        var held = 0
        var waiting: [Job] = []
    }

    private struct Wrong {
        let job: Job
        let client: Client
        let due: Instant
    }

    private var turns: [Client: Turn] = [:]
    /// Clients of whom something waits, whose turn is next first.
    private var order: [Client] = []
    private var waitingCount = 0
    /// By the time at which they are told.
    private var wrong: [Wrong] = []

    /// Puts a login behind those of its client; false where there is no room.
    mutating func submit(_ job: Job, of client: Client) -> Bool {
        var turn = turns[client] ?? Turn()
        guard waitingCount < Self.most, turn.waiting.count < Self.mostWaiting else { return false }
        if turn.waiting.isEmpty { order.append(client) }
        turn.waiting.append(job)
        turns[client] = turn
        waitingCount += 1
        return true
    }

    /// The login to be looked at now, which is then its client's to hold.
    mutating func next() -> (job: Job, client: Client)? {
        guard let place = order.firstIndex(where: { turns[$0]?.held ?? 0 < Self.mostHeld }) else { return nil }
        let client = order.remove(at: place)
        guard var turn = turns[client], !turn.waiting.isEmpty else { return nil }
        let job = turn.waiting.removeFirst()
        turn.held += 1
        waitingCount -= 1
        if !turn.waiting.isEmpty { order.append(client) }
        turns[client] = turn
        return (job, client)
    }

    /// It was right.
    mutating func passed(of client: Client) { release(client) }

    /// It was wrong; `began` is when it was begun to be looked at.
    mutating func failed(_ job: Job, of client: Client, began: Instant) {
        let due = began.adding(nanoseconds: Self.delay)
        let place = wrong.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        wrong.insert(Wrong(job: job, client: client, due: due), at: place)
    }

    /// The wrong logins that are to be told at `now`.
    mutating func takeDue(at now: Instant) -> [Job] {
        let due = wrong.prefix { $0.due <= now }
        wrong.removeFirst(due.count)
        for one in due { release(one.client) }
        return due.map(\.job)
    }

    /// When the next wrong login is to be told.
    var nextDue: Instant? { wrong.first?.due }

    private mutating func release(_ client: Client) {
        guard var turn = turns[client] else { return }
        turn.held -= 1
        turns[client] = turn.held == 0 && turn.waiting.isEmpty ? nil : turn
    }
}
