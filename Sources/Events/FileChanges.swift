package import Bytes
internal import CEvent
internal import Glibc

/// Tells a loop that watched files have changed: by inotify(7) at once, and by a slow look of its own where that says
/// nothing, as on a network's file systems, or can't be had.
///
/// Changes that come close together are told once.
package final class FileChanges {
    private static let look: Nanoseconds = .seconds(10)
    /// How often without inotify, or where not all could be watched.
    private static let closerLook: Nanoseconds = .seconds(1)
    private static let bufferSize = 64 * 1024

    private let loop: EventLoop
    private let settling: Nanoseconds
    private let changed: () -> Void
    private let owner: Descriptor?
    /// -1 where inotify can't be had.
    private let descriptor: Int32
    private var registration: EventRegistration?
    /// Each watch of the kernel's, with what matters in its folder.
    private var watches: [Int32: FolderInterests.Names] = [:]
    private var stamps = FileStamps()
    private var settlingTimer: Timer?
    private var lookTimer: Timer?
    private var lookInterval: Nanoseconds = 0

    /// Calls `changed` on `loop`, `settling` after the first change that was not told yet.
    package init(_ loop: EventLoop, settling: Nanoseconds = .milliseconds(200), _ changed: @escaping () -> Void) {
        self.loop = loop
        self.settling = settling
        self.changed = changed
        let rawValue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        owner = rawValue >= 0 ? Descriptor(owning: rawValue) : nil
        descriptor = rawValue
        guard rawValue >= 0 else { return }
        registration = unsafe EventRegistration(
            loop,
            descriptor: rawValue,
            events: EV_READ | EV_PERSIST,
            context: Unmanaged.passUnretained(self).toOpaque(),
            callback: fileEventsArrived
        )
        registration?.add()
    }

    /// Watches these files, and what lies in these folders, from now on and in place of those before; what doesn't exist
    /// yet is told when it comes. They were read at `reading`, before which they were as they were read.
    package func watch(_ paths: [String], readAt reading: FileMoment) {
        let isComplete = watchFolders(FolderInterests(paths))
        if stamps.watch(paths, readAt: reading) { settle() }
        let interval = isComplete ? Self.look : Self.closerLook
        guard interval != lookInterval else { return }
        lookInterval = interval
        lookTimer = Timer(loop, after: interval, repeats: true) { [unowned self] in
            if stamps.hasChanged() { settle() }
        }
    }

    /// False where some folder's changes won't be told.
    private func watchFolders(_ interests: FolderInterests) -> Bool {
        guard descriptor >= 0 else { return false }
        let old = watches
        watches = [:]
        var isComplete = true
        for (folder, names) in interests.folders {
            let watch = unsafe inotify_add_watch(descriptor, folder, Self.mask(of: names))
            if watch >= 0 {
                watches[watch] = names
            } else if names.holdsFiles || errno == ENOSPC {
                isComplete = false
            }
        }
        for watch in old.keys where watches[watch] == nil { _ = inotify_rm_watch(descriptor, watch) }
        return isComplete
    }

    private static func mask(of names: FolderInterests.Names) -> UInt32 {
        let moves = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
        return UInt32(names.holdsFiles ? moves | IN_CLOSE_WRITE | IN_ATTRIB : moves)
    }

    fileprivate func eventsArrived() {
        if readEvents() { settle() }
    }

    /// Takes all that the kernel has to tell; true if something of it matters.
    private func readEvents() -> Bool {
        guard descriptor >= 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        var isOfInterest = false
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return isOfInterest }
            if Self.events(in: buffer.prefix(count)).contains(where: matters) { isOfInterest = true }
        }
    }

    private func matters(_ event: Event) -> Bool {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        return watches[event.watch]?.contains(event.name) ?? false
    }

    private struct Event {
        let watch: Int32
        let mask: UInt32
        let name: String
    }

    /// `struct inotify_event`: the watch, the mask, a cookie and the length of the name behind it.
    private static func events(in bytes: ArraySlice<UInt8>) -> [Event] {
        func word(_ index: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
        }
        var events: [Event] = []
        var index = bytes.startIndex
        while bytes.endIndex - index >= 16 {
            let end = index + 16 + Int(word(index + 12))
            guard end <= bytes.endIndex else { break }
            let name = bytes[(index + 16)..<end].prefix { $0 != 0 }
            let text = String(decoding: name, as: UTF8.self)
            events.append(Event(watch: Int32(bitPattern: word(index)), mask: word(index + 4), name: text))
            index = end
        }
        return events
    }

    private func settle() {
        guard settlingTimer == nil else { return }
        settlingTimer = Timer(loop, after: settling) { [unowned self] in
            forget()
            changed()
        }
    }

    /// What has changed so far is not told any more, since the files are about to be read.
    package func forget() {
        settlingTimer = nil
        _ = readEvents()
        _ = stamps.hasChanged()
    }
}

private func fileEventsArrived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<FileChanges>.fromOpaque(context).takeUnretainedValue().eventsArrived()
}
