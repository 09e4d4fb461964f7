internal import CEvent
internal import Glibc

/// What a process sets once at its start.
package enum ProcessSettings {
    /// Raises the soft limit of open files to the hard one; gives the limit that holds then.
    @discardableResult
    package static func raiseOpenFileLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let raised = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: raised ? limit.rlim_max : soft)
    }

    /// Opens /dev/null as each of the three standard descriptors that is closed: what is opened next would take its place,
    /// and get what is meant for people.
    package static func openStandardDescriptors() {
        for descriptor in 0...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            let opened = unsafe open("/dev/null", O_RDWR)
            // The lowest that is free, which it is.
            if opened > STDERR_FILENO { close(opened) }
        }
    }

    /// Makes a write to a pipe or socket whose other end is gone fail instead of ending the process.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Has the kernel write no image of this process, which holds secrets, when it ends by a fault; nor lets processes of
    /// the same user look into its memory (S-3). Programs that it starts have no core dumps either, unless they ask for them
    /// or `ofChildren` is false.
    package static func forbidCoreDumps(ofChildren: Bool = true) {
        CEvent_set_process_flag(PR_SET_DUMPABLE, 0)
        guard ofChildren else { return }
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = 0
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Takes from a child of ours that runs foreign code what it has no need of: new rights, core dumps, files of any
    /// length, further processes, many descriptors, and memory beyond `memory` bytes; it ends with its parent.
    package static func confine(memory: UInt64) {
        CEvent_set_process_flag(PR_SET_PDEATHSIG, UInt(SIGKILL))
        CEvent_set_process_flag(PR_SET_DUMPABLE, 0)
        CEvent_set_process_flag(PR_SET_NO_NEW_PRIVS, 1)
        limit(RLIMIT_CORE.rawValue, 0)
        limit(RLIMIT_FSIZE.rawValue, 0)
        limit(RLIMIT_NOFILE.rawValue, 64)
        limit(__RLIMIT_NPROC.rawValue, 0)
        let memoryInUse = ProcessUsage.pages(at: 0) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        // A sanitizer's shadow is larger than any memory.
        if memoryInUse < memory { limit(RLIMIT_AS.rawValue, memory) }
    }

    private static func limit(_ resource: UInt32, _ value: UInt64) {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        _ = unsafe setrlimit(__rlimit_resource_t(resource), &limit)
    }
}
