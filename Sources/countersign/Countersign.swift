@main enum Countersign {
    static func main() { run() }
}

func run() {}
