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

    /// Makes a write to a pipe or socket whose other end is gone fail instead of ending the process.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
