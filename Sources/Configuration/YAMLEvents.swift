internal import CYAML

/// What libyaml's event parser reports, as values.
enum YAMLEvent {
    case streamStart, streamEnd, documentEnd, alias, sequenceEnd, mappingEnd
    case documentStart(hasTagDirectives: Bool)
    case scalar(String, YAMLScalarStyle)
    case sequenceStart(isFlow: Bool)
    case mappingStart(isFlow: Bool)
    case failed(YAMLSyntaxError)
}

/// An event and where it stands; `hasAnchor` and `hasTag` are things that a rule file may not contain.
struct YAMLPlacedEvent {
    var event: YAMLEvent
    var start: Mark
    var end: Mark
    var hasAnchor = false
    var hasTag = false
}

/// Why libyaml could not go on. Its texts are constants: they quote nothing of the file.
struct YAMLSyntaxError {
    var problem: String
    var context: String
    var problemMark: Mark
    var contextMark: Mark?
    /// The byte that is no UTF-8 or not allowed in YAML, where that is the problem.
    var badByte: Int?
}

/// libyaml's parser over one text, as a sequence of events.
@safe struct YAMLEvents: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let file: Int

    private let hasMemory: Bool

    init(_ bytes: [UInt8], file: Int) {
        unsafe parser = .allocate(capacity: 1)
        unsafe input = .allocate(capacity: max(bytes.count, 1))
        _ = unsafe input.initialize(from: bytes)
        self.file = file
        hasMemory = unsafe yaml_parser_initialize(parser) == 1
        guard hasMemory else { return }
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        if hasMemory { unsafe yaml_parser_delete(parser) }
        unsafe parser.deallocate()
        // The text may hold literal passwords.
        unsafe input.update(repeating: 0)
        unsafe input.deallocate()
    }

    /// The next event; after `.failed` and `.streamEnd` there is none.
    mutating func next() -> YAMLPlacedEvent {
        var event = unsafe yaml_event_t()
        guard hasMemory, unsafe yaml_parser_parse(parser, &event) == 1 else {
            let error = hasMemory ? syntaxError() : Self.noMemory(file)
            return YAMLPlacedEvent(event: .failed(error), start: error.problemMark, end: error.problemMark)
        }
        defer { unsafe yaml_event_delete(&event) }
        return unsafe placed(event)
    }

    private func placed(_ event: yaml_event_t) -> YAMLPlacedEvent {
        var placed = unsafe YAMLPlacedEvent(
            event: .streamEnd,
            start: mark(event.start_mark),
            end: mark(event.end_mark)
        )
        switch unsafe event.type {
        case YAML_STREAM_START_EVENT: placed.event = .streamStart
        case YAML_DOCUMENT_START_EVENT:
            let directives = unsafe event.data.document_start.tag_directives
            placed.event = unsafe .documentStart(hasTagDirectives: directives.start != directives.end)
        case YAML_DOCUMENT_END_EVENT: placed.event = .documentEnd
        case YAML_ALIAS_EVENT: placed.event = .alias
        case YAML_SCALAR_EVENT: unsafe scalar(event.data.scalar, into: &placed)
        case YAML_SEQUENCE_START_EVENT:
            let data = unsafe event.data.sequence_start
            placed.event = unsafe .sequenceStart(isFlow: data.style == YAML_FLOW_SEQUENCE_STYLE)
            placed.hasAnchor = unsafe data.anchor != nil
            placed.hasTag = unsafe data.tag != nil || data.implicit == 0
        case YAML_SEQUENCE_END_EVENT: placed.event = .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            let data = unsafe event.data.mapping_start
            placed.event = unsafe .mappingStart(isFlow: data.style == YAML_FLOW_MAPPING_STYLE)
            placed.hasAnchor = unsafe data.anchor != nil
            placed.hasTag = unsafe data.tag != nil || data.implicit == 0
        case YAML_MAPPING_END_EVENT: placed.event = .mappingEnd
        default: placed.event = .streamEnd
        }
        return placed
    }

    private func scalar(
        _ data: yaml_event_s.__Unnamed_union_data.__Unnamed_struct_scalar,
        into placed: inout YAMLPlacedEvent
    ) {
        let style: YAMLScalarStyle =
            switch unsafe data.style {
            case YAML_PLAIN_SCALAR_STYLE: .plain
            case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
            default: .quoted
            }
        let bytes = unsafe UnsafeBufferPointer(start: data.value, count: data.length)
        placed.event = unsafe .scalar(String(decoding: bytes, as: UTF8.self), style)
        placed.hasAnchor = unsafe data.anchor != nil
        // The non-specific tag `!` leaves no tag, only a plain scalar that isn't implicit.
        placed.hasTag = unsafe data.tag != nil || (style == .plain && data.plain_implicit == 0)
    }

    private static func noMemory(_ file: Int) -> YAMLSyntaxError {
        YAMLSyntaxError(problem: "no memory", context: "", problemMark: Mark(file: file, line: 0, column: 0))
    }

    private func syntaxError() -> YAMLSyntaxError {
        let state = unsafe parser.pointee
        let problem = unsafe state.problem.map { unsafe String(cString: $0) } ?? "the text can't be read"
        let context = unsafe state.context.map { unsafe String(cString: $0) } ?? ""
        if unsafe state.error == YAML_READER_ERROR {
            return unsafe YAMLSyntaxError(
                problem: problem,
                context: context,
                problemMark: mark(state.mark),
                badByte: state.problem_offset
            )
        }
        return unsafe YAMLSyntaxError(
            problem: problem,
            context: context,
            problemMark: mark(state.problem_mark),
            contextMark: context.isEmpty ? nil : mark(state.context_mark)
        )
    }

    private func mark(_ mark: yaml_mark_t) -> Mark { Mark(file: file, line: mark.line, column: mark.column) }
}
