/// What `status` is asked.
struct StatusRequest: Equatable {
    /// How it answers.
    enum Form: Equatable {
        /// By the exit code alone.
        case readiness
        case text, json
    }

    let form: Form
    let config: String?

    init(_ options: CommandLineOptions) throws(UsageError) {
        try Invocation.refuseOperands(options.operands, .status)
        if options.contains(.ready), options.contains(.json) {
            throw UsageError("'--ready' says nothing, also not as '--json'", .status)
        }
        form = options.contains(.ready) ? .readiness : options.contains(.json) ? .json : .text
        config = options.value(.config)
    }
}
