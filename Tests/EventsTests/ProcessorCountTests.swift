import Testing

@testable import Events

@Suite struct ProcessorCountTests {
    @Test(
        "O-12 a version 2 quota is rounded up to whole processors",
        arguments: [
            ("max 100000\n", nil), ("100000 100000\n", 1), ("100001 100000\n", 2), ("50000 100000\n", 1),
            ("250000 100000", 3), ("400000\n", 4), ("", nil), ("many 100000", nil), ("100000 0", nil),
            ("0 100000", nil),
        ] as [(String, Int?)]
    )
    func cpuMax(text: String, expected: Int?) {
        #expect(ProcessorCount.processors(cpuMax: text) == expected)
    }

    @Test(
        "O-12 a version 1 quota is rounded up to whole processors",
        arguments: [
            ("-1\n", "100000\n", nil), ("150000\n", "100000\n", 2), ("50000", "50000", 1),
            ("9223372036854775807", "1", .max),
            ("x", "100000", nil),
        ] as [(String, String, Int?)]
    )
    func cfsQuota(quota: String, period: String, expected: Int?) {
        #expect(ProcessorCount.processors(quota: quota, period: period) == expected)
    }

    @Test("O-12 the least quota of a cgroup and those above it counts")
    func version2() {
        let files = [
            "/proc/self/cgroup": "0::/kubepods/pod7/c1\n",
            "/sys/fs/cgroup/kubepods/pod7/c1/cpu.max": "400000 100000\n",
            "/sys/fs/cgroup/kubepods/pod7/cpu.max": "150000 100000\n",
            "/sys/fs/cgroup/kubepods/cpu.max": "max 100000\n",
        ]
        #expect(ProcessorCount.cgroupLimit { files[$0] } == 2)
    }

    @Test("O-12 a container that sees only the root of its cgroup finds the quota there")
    func namespace() {
        let version2 = ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "200000 100000\n"]
        #expect(ProcessorCount.cgroupLimit { version2[$0] } == 2)
        let version1 = [
            "/proc/self/cgroup": "5:cpuset:/x\n4:cpu,cpuacct:/docker/abc\n0::/\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "300000\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us": "1\n",
        ]
        #expect(ProcessorCount.cgroupLimit { version1[$0] } == 3)
    }

    @Test("O-12 without cgroups there is no quota, and there is always a worker")
    func none() {
        #expect(ProcessorCount.cgroupLimit { _ in nil } == nil)
        #expect(ProcessorCount.cgroupLimit { $0 == "/proc/self/cgroup" ? "rubbish\n::::\n" : nil } == nil)
        #expect((1...8).contains(ProcessorCount.workers()))
        #expect(ProcessorCount.affinity() >= 1)
    }
}
