internal import CEvent
internal import Glibc

/// One libevent event, freed with its owner.
///
/// The owner passes itself unretained as context: it outlives the registration, which it holds, and a freed event is
/// never called, not even when it was due already in the same turn of the loop.
@safe struct EventRegistration: ~Copyable {
    private let event: OpaquePointer

    /// Registers nothing yet: `add` does.
    init(
        _ loop: EventLoop,
        descriptor: Int32,
        events: Int32,
        context: UnsafeMutableRawPointer,
        callback: @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void
    ) {
        // Only memory can fail it, and then nothing could go on.
        guard let event = unsafe event_new(loop.base, descriptor, Int16(events), callback, context) else {
            preconditionFailure("no memory for an event")
        }
        unsafe self.event = event
    }

    /// Starts to watch.
    borrowing func add() {
        _ = unsafe event_add(event, nil)
    }

    /// Starts to wait for `nanoseconds`, again and again if the event persists.
    borrowing func add(after nanoseconds: UInt64) {
        let microseconds = nanoseconds / 1000
        var time = timeval(
            tv_sec: Int(clamping: microseconds / 1_000_000),
            tv_usec: Int(microseconds % 1_000_000)
        )
        _ = unsafe event_add(event, &time)
    }

    /// Has the callback called in the next turn, as if there were something to read.
    borrowing func activate() {
        unsafe event_active(event, Int32(EV_READ), 0)
    }

    /// Stops to watch.
    borrowing func remove() {
        _ = unsafe event_del(event)
    }

    deinit {
        unsafe event_free(event)
    }
}
