import CFuzzer
import FuzzChecks

@main
enum SOCKSGreetingFuzz {
    static func main() { drive() }
}

private func drive() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    _ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, count in
        let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
        if let fault = SOCKSGreetingCheck.fault(of: input) { fatalError(fault) }
        return 0
    }
}
