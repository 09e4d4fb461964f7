import Bytes
import Glibc
import Testing

@testable import Events

@Suite struct UnixBindingTests {
    let folder: String

    init() throws {
        var template = Array("/tmp/countersign-unix-XXXXXX\0".utf8CString)
        #expect(unsafe mkdtemp(&template) != nil)
        folder = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private func group(_ path: String) -> gid_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_gid : nil
    }

    private func connect(_ path: String) -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result != 0 else { return socket }
        close(socket)
        return -1
    }

    @Test("R-8 a unix socket has the permissions and the group that are asked for, and is gone at the end")
    func permissions() throws {
        let path = folder + "/p.sock"
        do {
            let binding = try UnixBinding(path: path, permissions: 0o620, group: getuid() == 0 ? 7 : nil)
            #expect(mode(path) == 0o620)
            if getuid() == 0 { #expect(group(path) == 7) }
            let connected = connect(path)
            #expect(connected >= 0)
            close(connected)
            withExtendedLifetime(binding) {}
        }
        #expect(mode(path) == nil)
        unsafe rmdir(folder)
    }

    @Test("R-8 a second instance at the same path fails, and what a dead process left is replaced")
    func secondInstance() throws {
        let path = folder + "/s.sock"
        let first = try UnixBinding(path: path, permissions: 0o600, group: nil)
        #expect(throws: SystemError(.bind, code: EADDRINUSE)) {
            _ = try UnixBinding(path: path, permissions: 0o600, group: nil)
        }
        #expect(connect(path) >= 0)
        // The kernel's socket ends, as with its process, and the file stays.
        if let taken = first.take() { _ = consume taken }
        #expect(connect(path) < 0 && mode(path) != nil)
        let second = try UnixBinding(path: path, permissions: 0o600, group: nil)
        #expect(connect(path) >= 0)
        first.remove()
        #expect(mode(path) != nil, "the second's file is not the first's to remove")
        withExtendedLifetime((first, second)) {}
        second.remove()
        unsafe rmdir(folder)
    }

    @Test("R-8 a file that is no socket is left alone")
    func otherFile() throws {
        let path = folder + "/file"
        let file = unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        close(file)
        #expect(throws: SystemError(.bind, code: EADDRINUSE)) {
            _ = try UnixBinding(path: path, permissions: 0o600, group: nil)
        }
        #expect(mode(path) != nil)
        unsafe unlink(path)
        unsafe rmdir(folder)
    }

    @Test("a path that is longer than a socket's address holds is told")
    func longPath() {
        let path = folder + "/" + String(repeating: "x", count: 120)
        #expect(throws: SystemError(.bind, code: ENAMETOOLONG)) {
            _ = try UnixBinding(path: path, permissions: 0o600, group: nil)
        }
        unsafe rmdir(folder)
    }

    @Test("the other end of a unix socket is known by its user and groups")
    func credentials() throws {
        let path = folder + "/c.sock"
        let binding = try UnixBinding(path: path, permissions: 0o600, group: nil)
        guard let listening = binding.take() else { throw SystemError(.listen, code: ENOENT) }
        let connected = connect(path)
        let accepted = Descriptor(owning: accept(listening.rawValue, nil, nil))
        let credentials = accepted.peerCredentials()
        #expect(credentials?.user == getuid() && credentials?.groups.first == getgid())
        close(connected)
        binding.remove()
        unsafe rmdir(folder)
    }
}

@Suite struct PeerUsersTests {
    @Test("the user at the other end of a loopback connection is known while the process has it")
    func user() throws {
        let loop = try EventLoop()
        let users = try PeerUsers()
        for address in [IPAddress.loopbackV4, IPAddress(v6: 0, 1)] {
            let binding = try PortBinding(SocketAddress(address, port: 0), count: 1)
            let acceptor = Acceptor(loop)
            let listener = try listen(loop, binding, acceptor)
            let socket = try StreamSocket.connect(to: binding.address, loop: loop)
            #expect(run(loop) { !acceptor.peers.isEmpty })
            let peer = try #require(acceptor.peers[0])
            #expect(users.user(of: peer, connectedTo: binding.address) == getuid())
            socket.close()
            #expect(users.user(of: peer, connectedTo: binding.address) == nil, "an end that is closed is nobody's")
            let other = SocketAddress(address, port: peer.port &+ 1)
            #expect(users.user(of: other, connectedTo: binding.address) == nil)
            for accepted in acceptor.sockets { accepted.close() }
            listener.close()
        }
    }

    @Test("a connection that nobody redirected has no original destination")
    func notRedirected() throws {
        let loop = try EventLoop()
        let binding = try PortBinding(anyLoopbackPort, count: 1)
        let acceptor = Acceptor(loop)
        let listener = try listen(loop, binding, acceptor)
        let socket = try StreamSocket.connect(to: binding.address, loop: loop)
        #expect(run(loop) { !acceptor.sockets.isEmpty })
        #expect(acceptor.sockets[0].originalDestination == nil)
        #expect(acceptor.sockets[0].localAddress == binding.address)
        socket.close()
        acceptor.sockets[0].close()
        listener.close()
    }
}
