import Bytes
import Glibc
import Support
import Testing

@testable import Events

/// That changes of watched files are told, however they come about.
@Suite struct FileChangesTests {
    /// A loop that watches files, and counts how often it is told.
    private final class Watch {
        let loop: EventLoop
        private(set) var count = 0
        private var changes: FileChanges?

        init(_ paths: [String], settling: Nanoseconds = .milliseconds(50)) throws {
            loop = try EventLoop()
            // Who reads a file in the tick in which it was written may have read what was before.
            usleep(20_000)
            changes = FileChanges(loop, settling: settling) { [unowned self] in count += 1 }
            changes?.watch(paths, readAt: .now)
        }

        func again(_ paths: [String]) { changes?.watch(paths, readAt: .now) }

        func forget() { changes?.forget() }

        /// Whether it was told once, after `body`, and not again.
        func isTold(of body: () throws -> Void) throws -> Bool {
            count = 0
            try body()
            guard run(loop, until: { count > 0 }) else { return false }
            run(loop, milliseconds: 150)
            return count == 1
        }

        func isSilent(at body: () throws -> Void) throws -> Bool {
            count = 0
            try body()
            run(loop, milliseconds: 300)
            return count == 0
        }
    }

    private func folder() throws -> ScratchFolder { try ScratchFolder("changes") }

    private func rename(_ folder: ScratchFolder, _ from: String, _ to: String) {
        #expect(unsafe Glibc.rename(folder(from), folder(to)) == 0)
    }

    private func link(_ folder: ScratchFolder, _ target: String, as name: String) {
        #expect(unsafe symlink(target, folder(name)) == 0)
    }

    @Test func `a file that is written, replaced, removed, made or given other rights is told once`() throws {
        let folder = try folder()
        let path = try folder.write("1", to: "file")
        let watch = try Watch([path])
        #expect(try watch.isTold { try folder.write("2", to: "file") })
        #expect(try watch.isTold { unsafe chmod(path, 0o600) })
        #expect(
            try watch.isTold {
                try folder.write("3", to: "other")
                rename(folder, "other", "file")
            }
        )
        #expect(try watch.isTold { unsafe unlink(path) })
        #expect(try watch.isTold { try folder.write("4", to: "file") })
    }

    @Test func `several changes within the pause are one`() throws {
        let folder = try folder()
        let paths = try (0..<5).map { try folder.write("1", to: "\($0)") }
        let watch = try Watch(paths)
        #expect(try watch.isTold { for index in 0..<5 { try folder.write("2", to: "\(index)") } })
    }

    @Test func `other files of the folder are no matter`() throws {
        let folder = try folder()
        let watch = try Watch([try folder.write("1", to: "file")])
        #expect(try watch.isSilent { try folder.write("1", to: "other") })
    }

    @Test func `reading is no change`() throws {
        let folder = try folder()
        let path = try folder.write("1", to: "file")
        let watch = try Watch([path])
        var read: [UInt8]?
        let isSilent = try watch.isSilent { read = contents(of: path) }
        #expect(isSilent)
        #expect(read == Array("1".utf8))
    }

    @Test func `a Kubernetes volume's swap of its link is a change of every file in it`() throws {
        let folder = try folder()
        try folder.folder("..1")
        try folder.folder("..2")
        try folder.write("1", to: "..1/rules")
        try folder.write("2", to: "..2/rules")
        link(folder, "..1", as: "..data")
        link(folder, "..data/rules", as: "rules")
        let watch = try Watch([folder("rules")])
        #expect(
            try watch.isTold {
                link(folder, "..2", as: "..data_tmp")
                rename(folder, "..data_tmp", "..data")
            }
        )
        watch.again([folder("rules")])
        #expect(try watch.isTold { try folder.write("3", to: "..2/rules") })
        #expect(try watch.isSilent { try folder.write("3", to: "..1/rules") })
    }

    @Test func `a folder on the way that is renamed is a change`() throws {
        let folder = try folder()
        try folder.folder("conf")
        try folder.folder("next")
        try folder.write("1", to: "conf/file")
        try folder.write("2", to: "next/file")
        let watch = try Watch([folder("conf/file")])
        #expect(
            try watch.isTold {
                rename(folder, "conf", "old")
                rename(folder, "next", "conf")
            }
        )
    }

    @Test func `a file whose folder doesn't exist yet is told when it is there`() throws {
        let folder = try folder()
        let watch = try Watch([folder("a/b/file")])
        #expect(try watch.isTold { try folder.folder("a") })
        watch.again([folder("a/b/file")])
        #expect(try watch.isTold { try folder.folder("a/b") })
        watch.again([folder("a/b/file")])
        #expect(try watch.isTold { try folder.write("1", to: "a/b/file") })
    }

    @Test func `in a folder that is watched itself each name counts, but for those with a dot`() throws {
        let folder = try folder()
        try folder.folder("rules.d")
        let watch = try Watch([folder("rules.d")])
        #expect(try watch.isTold { try folder.write("1", to: "rules.d/new.yaml") })
        #expect(try watch.isSilent { try folder.write("1", to: "rules.d/.new.yaml.swp") })
        #expect(try watch.isTold { unsafe unlink(folder("rules.d/new.yaml")) })
    }

    @Test func `links that lead in a circle are watched as far as they lead`() throws {
        let folder = try folder()
        link(folder, "b", as: "a")
        link(folder, "a", as: "b")
        let watch = try Watch([folder("a")])
        #expect(
            try watch.isTold {
                unsafe unlink(folder("b"))
                try folder.write("1", to: "b")
            }
        )
    }

    @Test func `what has changed before it is read is not told afterwards`() throws {
        let folder = try folder()
        let path = try folder.write("1", to: "file")
        let watch = try Watch([path])
        #expect(
            try watch.isSilent {
                try folder.write("2", to: "file")
                watch.forget()
            }
        )
    }

    @Test func `a file that changed while it was read is told, though it was not watched yet`() throws {
        let folder = try folder()
        let loop = try EventLoop()
        var count = 0
        let changes = FileChanges(loop, settling: .milliseconds(50)) { count += 1 }
        let reading = FileMoment.now
        let path = try folder.write("1", to: "file")
        changes.watch([path], readAt: reading)
        #expect(run(loop, until: { count > 0 }))
    }

    @Test func `what stat tells is enough to see a change, also of a link's target`() throws {
        let folder = try folder()
        try folder.write("1", to: "one")
        try folder.write("1", to: "two")
        link(folder, "one", as: "link")
        usleep(20_000)
        var stamps = FileStamps()
        var told = [stamps.watch([folder("link"), folder("none")], readAt: .now), stamps.hasChanged()]
        link(folder, "two", as: "next")
        rename(folder, "next", "link")
        told += [stamps.hasChanged(), stamps.hasChanged()]
        try folder.write("1", to: "none")
        told.append(stamps.hasChanged())
        unsafe unlink(folder("none"))
        told += [stamps.hasChanged(), stamps.hasChanged()]
        #expect(told == [false, false, true, false, true, true, false])
    }
}
