import Crypto
import Glibc
import Support
import Testing

@testable import Configuration

@Suite struct SystemFilesTests {
    private let scratch: ScratchFolder
    private var folder: String { scratch.path }

    init() throws { scratch = try ScratchFolder("files") }

    private func written(_ content: String, name: String = "f") throws -> String {
        try scratch.write(content, to: name)
    }

    @Test("a file is read whole, up to a limit") func contents() throws {
        let path = try written(String(repeating: "x", count: 200_000))
        #expect(try SystemFiles().contents(of: path, limit: 200_000).count == 200_000)
        #expect(throws: FileError.tooLarge(limit: 199_999)) { try SystemFiles().contents(of: path, limit: 199_999) }
    }

    @Test("what is no file isn't read, nor waited for", .timeLimit(.minutes(1))) func noFile() throws {
        #expect(throws: FileError.noFile) { try SystemFiles().contents(of: folder, limit: 10) }
        #expect(throws: FileError.missing) { try SystemFiles().contents(of: folder + "/none", limit: 10) }
        #expect(throws: FileError.noFile) { try SystemFiles().contents(of: "/dev/zero", limit: 10) }
        #expect(throws: FileError.noFolder) { try SystemFiles().contents(of: written("") + "/x", limit: 10) }
    }

    @Test("a folder has names") func names() throws {
        _ = try written("", name: "b.yaml")
        _ = try written("", name: "a.yaml")
        #expect(try SystemFiles().names(in: folder).sorted() == ["a.yaml", "b.yaml"])
        #expect(throws: FileError.missing) { try SystemFiles().names(in: folder + "/none") }
    }

    @Test("the right of others to read is seen") func readableByOthers() throws {
        let path = try written("x")
        #expect(unsafe chmod(path, 0o644) == 0)
        #expect(SystemFiles().isReadableByOthers(path))
        #expect(unsafe chmod(path, 0o640) == 0)
        #expect(!SystemFiles().isReadableByOthers(path))
        #expect(!SystemFiles().isReadableByOthers(folder + "/none"))
    }

    @Test("a tmpfs is seen") func inMemory() {
        #expect(SystemFiles().isInMemory("/dev/shm"))
        #expect(!SystemFiles().isInMemory("/proc"))
        #expect(!SystemFiles().isInMemory(folder + "/none"))
    }

    @Test("a rule file is loaded from the disk") func load() throws {
        _ = try written("hunter2\n", name: "pw")
        let text = withRule(
            "{ space: { host: a.example.com }, use: staff }",
            credential: "{ username: a, password: { file: pw } }"
        )
        let path = try written(text, name: "rules.yaml")
        let result = RuleFile.load(path: path, environment: .fixed())
        #expect(result.configuration != nil)
        #expect(result.watchedFiles == [path, folder + "/pw"])
    }

    @Test("a secret in the environment is taken and overwritten there") func environment() {
        unsafe setenv("COUNTERSIGN_TEST_SECRET", "hunter2", 1)
        let environment = EnvironmentSecrets()
        #expect(environment.secret("COUNTERSIGN_TEST_SECRET") == Secret("hunter2"))
        let left = unsafe getenv("COUNTERSIGN_TEST_SECRET").map { unsafe String(cString: $0) }
        #expect(left == "")
        #expect(environment.secret("COUNTERSIGN_TEST_SECRET") == Secret("hunter2"))
        #expect(environment.secret("COUNTERSIGN_TEST_NONE") == nil)
        #expect(environment.home?.hasPrefix("/") == true)
    }
}
