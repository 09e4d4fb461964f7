package import Bytes
internal import CEvent
internal import Glibc

/// Told when its deadline has passed.
package protocol DeadlineObserver: AnyObject {
    /// The deadline has passed; it is not set any more.
    func deadlinePassed()
}

/// One thing's time limit, made once with its owner and then set as often as wanted.
///
/// Putting it off is a store. The wheel keeps it, and with it the observer, only while it is set or was put off: so
/// clear it with the owner's end.
package final class Deadline {
    fileprivate enum Place { case none, slot, due }

    fileprivate var moment = Instant.distantFuture
    fileprivate var place = Place.none
    fileprivate var tick: UInt64 = 0
    fileprivate var index = 0
    fileprivate let wheel: DeadlineWheel
    fileprivate unowned let observer: any DeadlineObserver

    /// Makes a deadline that is not set; the observer owns it.
    package init(_ loop: EventLoop, observer: any DeadlineObserver) {
        wheel = loop.deadlines
        self.observer = observer
    }

    deinit {
        // The wheel holds what is in it, so this one is in none.
        assert(place == .none)
    }

    /// Sets or moves the deadline; it passes up to a tenth of a second later.
    package func set(to moment: Instant) {
        self.moment = moment
        if place == .slot && DeadlineWheel.tick(of: moment) >= tick { return }
        wheel.enrol(self)
    }

    /// Unsets the deadline and lets the wheel forget it.
    package func clear() {
        moment = .distantFuture
        if place != .none { wheel.remove(self) }
    }

    /// Whether the deadline is set.
    package var isSet: Bool { moment != .distantFuture }
}

/// The deadlines of a loop in a ring of tenths of a second, looked at by one timer that runs only while there are any.
///
/// What lies beyond the ring, or was put off since it was put there, is moved on when its place comes up.
package final class DeadlineWheel {
    private static let tickLength: Nanoseconds = .milliseconds(100)
    private static let size: UInt64 = 256

    private var slots = [[Deadline]](repeating: [], count: Int(DeadlineWheel.size))
    private var due: [Deadline] = []
    private var currentTick: UInt64 = 0
    /// How many deadlines the wheel keeps.
    package private(set) var count = 0

    private unowned var loop: EventLoop?
    private var timer: EventRegistration?
    private var isTicking = false

    init() {}

    func attach(to loop: EventLoop) {
        self.loop = loop
        timer = unsafe EventRegistration(
            loop,
            descriptor: -1,
            events: EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque(),
            callback: wheelTicked
        )
    }

    /// Called by the loop at its end, before its base goes.
    func detach() {
        timer = nil
        loop = nil
    }

    /// The first tick that is not before `moment`.
    fileprivate static func tick(of moment: Instant) -> UInt64 {
        moment.nanoseconds / tickLength + (moment.nanoseconds % tickLength == 0 ? 0 : 1)
    }

    fileprivate func enrol(_ deadline: Deadline) {
        if deadline.place != .none { remove(deadline) }
        guard let loop else { return }
        if !isTicking {
            currentTick = loop.now.nanoseconds / Self.tickLength
            timer?.add(after: Self.tickLength)
            isTicking = true
        }
        insert(deadline)
    }

    private func insert(_ deadline: Deadline) {
        let wanted = Self.tick(of: deadline.moment)
        let tick = min(max(wanted, currentTick + 1), currentTick + Self.size - 1)
        let slot = Int(tick % Self.size)
        deadline.tick = tick
        deadline.place = .slot
        deadline.index = slots[slot].count
        slots[slot].append(deadline)
        count += 1
    }

    fileprivate func remove(_ deadline: Deadline) {
        switch deadline.place {
        case .none: return
        case .slot:
            let slot = Int(deadline.tick % Self.size)
            let last = slots[slot].count - 1
            slots[slot].swapAt(deadline.index, last)
            slots[slot][deadline.index].index = deadline.index
            slots[slot].removeLast()
            count -= 1
        case .due:
            // It stays in the list that is being walked, which passes over what is not due any more.
            break
        }
        deadline.place = .none
    }

    fileprivate func timerFired() {
        if let loop { advance(to: loop.now) }
    }

    /// Calls what is due at `moment` and moves on what is not, slot by slot.
    func advance(to moment: Instant) {
        let now = moment.nanoseconds / Self.tickLength
        // After a long standstill every slot is looked at once, which is enough.
        let first = max(currentTick + 1, now >= Self.size ? now - Self.size + 1 : 0)
        currentTick = max(currentTick, now)
        if first <= now {
            for tick in first...now { collect(slot: Int(tick % Self.size)) }
        }
        fire()
        if count == 0 {
            timer?.remove()
            isTicking = false
        }
    }

    private func collect(slot: Int) {
        let limit = Instant(nanoseconds: currentTick * Self.tickLength)
        var entries: [Deadline] = []
        swap(&entries, &slots[slot])
        for deadline in entries {
            count -= 1
            if deadline.moment <= limit {
                deadline.place = .due
                due.append(deadline)
            } else if deadline.isSet {
                insert(deadline)
            } else {
                deadline.place = .none
            }
        }
        // Only where nothing was put back into the slot is its array to be used again.
        if slots[slot].isEmpty {
            entries.removeAll(keepingCapacity: true)
            swap(&entries, &slots[slot])
        }
    }

    private func fire() {
        guard !due.isEmpty else { return }
        var firing: [Deadline] = []
        swap(&firing, &due)
        firing.sort { $0.moment < $1.moment }
        for deadline in firing where deadline.place == .due {
            deadline.place = .none
            deadline.moment = .distantFuture
            deadline.observer.deadlinePassed()
        }
        firing.removeAll(keepingCapacity: true)
        swap(&firing, &due)
    }
}

private func wheelTicked(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<DeadlineWheel>.fromOpaque(context).takeUnretainedValue().timerFired()
}
