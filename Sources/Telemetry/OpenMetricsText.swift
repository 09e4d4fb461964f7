package import Bytes

/// Metrics as OpenMetrics text, version 1.0.0, made family by family.
package struct OpenMetricsText: ~Copyable {
    /// The value of Content-Type.
    package static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// What a family measures.
    package enum Kind: String {
        case counter, gauge, histogram, info
    }

    private var buffer = ByteBuffer(capacity: 16 * 1024)
    private var family = ""
    private var suffix = ""

    /// Nothing yet.
    package init() {}

    /// Begins a family; its samples follow. `unit` ends the name, where there is one.
    package mutating func begin(_ name: String, _ kind: Kind, unit: String = "", help: String) {
        family = name
        suffix =
            switch kind {
            case .counter: "_total"
            case .info: "_info"
            case .gauge, .histogram: ""
            }
        buffer.append("# TYPE \(name) \(kind.rawValue)\n")
        if !unit.isEmpty { buffer.append("# UNIT \(name) \(unit)\n") }
        buffer.append("# HELP \(name) \(help)\n")
    }

    /// A sample of the family.
    package mutating func sample(_ labels: (name: String, value: String)..., value: UInt64) {
        appendName(suffix, labels)
        buffer.append(decimal: value)
        buffer.append("\n")
    }

    /// A sample whose value is a length of time, in seconds.
    package mutating func sample(nanoseconds: UInt64) {
        appendName(suffix, [])
        append(seconds: nanoseconds)
        buffer.append("\n")
    }

    /// The samples of a histogram.
    package mutating func samples(_ histogram: DurationHistogram) {
        var seen: UInt64 = 0
        for (bound, count) in zip(DurationHistogram.bounds, histogram.counts) {
            seen &+= count
            buffer.append("\(family)_bucket{le=\"")
            append(seconds: bound)
            buffer.append("\"} ")
            buffer.append(decimal: seen)
            buffer.append("\n")
        }
        let total = histogram.total
        buffer.append("\(family)_bucket{le=\"+Inf\"} \(total)\n\(family)_count \(total)\n\(family)_sum ")
        append(seconds: histogram.sum)
        buffer.append("\n")
    }

    /// The text, whole.
    package consuming func finish() -> ByteBuffer {
        buffer.append("# EOF\n")
        return buffer
    }

    private mutating func appendName(_ suffix: String, _ labels: [(name: String, value: String)]) {
        buffer.append(family)
        buffer.append(suffix)
        if !labels.isEmpty {
            for (index, label) in labels.enumerated() {
                buffer.append(index == 0 ? "{" : ",")
                buffer.append(label.name)
                buffer.append("=\"")
                append(labelValue: label.value)
                buffer.append("\"")
            }
            buffer.append("}")
        }
        buffer.append(" ")
    }

    private mutating func append(labelValue text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): buffer.append("\\\\")
            case UInt8(ascii: "\""): buffer.append("\\\"")
            case UInt8(ascii: "\n"): buffer.append("\\n")
            default: buffer.append(byte)
            }
        }
    }

    private mutating func append(seconds nanoseconds: UInt64) {
        buffer.append(decimal: nanoseconds / 1_000_000_000)
        let microseconds = nanoseconds / 1000 % 1_000_000
        buffer.append(".")
        buffer.append(decimal: microseconds, width: 6)
    }
}
