@main enum Countersign {
    static func main() { run() }
}

func run() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, arguments[1] == "run" else { return }
    let workers = arguments.count >= 6 ? Int(arguments[5]) : nil
    exitProcess(runProxy(configPath: arguments[3], workers: workers))
}
