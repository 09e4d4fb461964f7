import Authentication
import Glibc
import Support
import Testing

@testable import Storage

struct LedgerFolderTests {
    let one = SecretFingerprint(bits: 1)

    func rejection(_ server: String) -> LedgerChange {
        .rejected(server: server, target: "\(server)/", since: 100, until: nil)
    }

    func reject(_ server: String, in folder: LedgerFolder) throws {
        try folder.update {
            $0.apply(rejection(server), name: "staff", fingerprint: one, unixSeconds: 100)
        }
    }

    @Test("A-7b the folder is made 0700, with those above it, and the file 0600")
    func modes() throws {
        let place = try ScratchFolder()
        let folder = LedgerFolder(path: place.path + "/state/countersign")
        try folder.prepare()
        try reject("origin http://a:80", in: folder)
        #expect(mode(of: place("state")).map { $0 & 0o7777 } == 0o700)
        #expect(mode(of: place("state/countersign")).map { $0 & 0o7777 } == 0o700)
        #expect(mode(of: place("state/countersign/ledger")).map { $0 & 0o7777 } == 0o600)
        #expect(mode(of: place("state/countersign/ledger.lock")).map { $0 & 0o7777 } == 0o600)
        #expect(folder.takeNotices().isEmpty)
    }

    @Test("A-7b what is written is there after a restart")
    func restart() throws {
        let place = try ScratchFolder()
        let first = LedgerFolder(path: place.path)
        try first.prepare()
        try reject("origin http://a:80", in: first)
        let second = LedgerFolder(path: place.path)
        try second.prepare()
        #expect(try second.refresh())
        #expect(second.file == first.file)
        #expect(try !second.refresh(), "nothing changed since")
    }

    @Test("A-7b each process adds to what the others wrote")
    func twoProcesses() throws {
        let place = try ScratchFolder()
        let first = LedgerFolder(path: place.path)
        let second = LedgerFolder(path: place.path)
        try reject("origin http://a:80", in: first)
        try reject("origin http://b:80", in: second)
        #expect(second.file.record(name: "staff", fingerprint: one).withheld != nil)
        #expect(try first.refresh())
        #expect(first.file == second.file)
        #expect(first.file.salt == second.file.salt, "the salt of the one that came first holds")
    }

    @Test("A-7b nothing is lost when many write at once")
    func concurrentWriters() async throws {
        let place = try ScratchFolder()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let folder = LedgerFolder(path: place.path)
                    for _ in 0..<10 { try? reject("origin http://a:80", in: folder) }
                }
            }
        }
        let folder = LedgerFolder(path: place.path)
        _ = try folder.refresh()
        #expect(folder.file.record(name: "staff", fingerprint: one).rejections.first?.count == 40)
    }

    @Test("A-7b a writer waits while another process holds the lock")
    func lock() throws {
        let place = try ScratchFolder()
        let folder = LedgerFolder(path: place.path)
        try folder.prepare()
        let descriptor = unsafe open(place.path + "/ledger.lock", O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
        // Threads of their own, since a task may have to wait longer for one than the writer waits for the lock.
        let written = Gate()
        try detachThread {
            let other = LedgerFolder(path: place.path)
            if (try? reject("origin http://a:80", in: other)) != nil { written.opens() }
        }
        pause(.milliseconds(200))
        #expect(contents(of: place("ledger")) == nil)
        close(descriptor)
        try written.wait()
        #expect(contents(of: place("ledger")) != nil)
    }

    @Test("A-7b a broken file is set aside and told, and a new one is begun")
    func broken() throws {
        let place = try ScratchFolder()
        try place.write("countersign-ledger 1\nsalt 12\n\u{0}", to: "ledger")
        let folder = LedgerFolder(path: place.path)
        try folder.prepare()
        #expect(try folder.refresh())
        #expect(folder.file.entries.isEmpty)
        #expect(folder.takeNotices().count == 1)
        #expect(place.text(of: "ledger.broken") == "countersign-ledger 1\nsalt 12\n\u{0}")
        #expect(contents(of: place("ledger")) == nil)
        try reject("origin http://a:80", in: folder)
        #expect(folder.takeNotices().isEmpty)
        let next = LedgerFolder(path: place.path)
        _ = try next.refresh()
        #expect(next.file == folder.file)
    }

    @Test("A-7b a file that breaks while processes run is set aside by the next that looks")
    func brokenLater() throws {
        let place = try ScratchFolder()
        let folder = LedgerFolder(path: place.path)
        try reject("origin http://a:80", in: folder)
        try place.write("", to: "ledger")
        try reject("origin http://b:80", in: folder)
        #expect(folder.takeNotices().count == 1)
        #expect(folder.file.entries.count == 1)
        #expect(contents(of: place("ledger.broken")) == [])
    }

    @Test("A-7b a file that was removed is begun anew under another salt")
    func removed() throws {
        let place = try ScratchFolder()
        let folder = LedgerFolder(path: place.path)
        try reject("origin http://a:80", in: folder)
        let salt = folder.file.salt
        #expect(unsafe unlink(place("ledger")) == 0)
        #expect(try folder.refresh())
        #expect(folder.file.entries.isEmpty)
        #expect(folder.file.salt != salt)
    }

    @Test("A-7b no link is followed and no other kind of file is read")
    func oddFiles() throws {
        let place = try ScratchFolder()
        try place.write("something", to: "elsewhere")
        unsafe symlink(place.path + "/elsewhere", place.path + "/ledger")
        let folder = LedgerFolder(path: place.path)
        #expect(throws: StorageError.self) { try folder.refresh() }
        unsafe unlink(place.path + "/ledger")
        unsafe mkfifo(place.path + "/ledger", 0o600)
        #expect(try folder.refresh())
        #expect(folder.takeNotices().count == 1)
        #expect(place.text(of: "elsewhere") == "something")
    }

    @Test("A-7b a folder that can't be made or written is an error with its reason, never a crash")
    func unwritable() throws {
        let impossible = LedgerFolder(path: "/proc/countersign/state")
        let error = #expect(throws: StorageError.self) { try impossible.prepare() }
        #expect(error?.message.contains("can't make /proc/countersign") == true)
        let place = try ScratchFolder()
        try place.folder("ledger.new")
        let folder = LedgerFolder(path: place.path)
        let other = #expect(throws: StorageError.self) { try reject("origin http://a:80", in: folder) }
        #expect(other?.message == "can't open \(place.path)/ledger.new: Is a directory")
        #expect(folder.file.entries.isEmpty)
    }

    @Test("A-7b a full disk is an error, and the old file stays")
    func full() async throws {
        await #expect(processExitsWith: .success) {
            let place = try ScratchFolder()
            let folder = LedgerFolder(path: place.path)
            let rejection = LedgerChange.rejected(server: "s", target: "t", since: 1, until: nil)
            try folder.update {
                $0.apply(rejection, name: "staff", fingerprint: SecretFingerprint(bits: 1), unixSeconds: 1)
            }
            let old = place.text(of: "ledger")
            // A limit on the size of files stands for the disk; it fails a write in the same way.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 80, rlim_max: 80)
            let isLimited = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
            #expect(isLimited)
            let error = #expect(throws: StorageError.self) {
                try folder.update {
                    $0.apply(rejection, name: "other", fingerprint: SecretFingerprint(bits: 1), unixSeconds: 1)
                }
            }
            #expect(error?.operation == .write)
            #expect(place.text(of: "ledger") == old)
            #expect(contents(of: place("ledger.new")) == nil)
            #expect(folder.file.entries.count == 1)
        }
    }

    @Test("A-7b a folder that others can write is told")
    func sharedFolder() throws {
        let place = try ScratchFolder()
        unsafe chmod(place.path, 0o777)
        let folder = LedgerFolder(path: place.path)
        try folder.prepare()
        #expect(folder.takeNotices() == ["\(place.path) can be written by others"])
    }
}
