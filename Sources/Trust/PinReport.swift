package import Bytes

/// A report of a failed or observed pin validation [RFC 7469 s.3].
///
/// Beyond the members that the standard names it has `reason`, our reason code, and `seen`, the lines that can be pasted
/// under `pins` (T-10).
package struct PinReport: Sendable {
    /// What was found.
    package let failure: TrustFailure
    /// The port of the upstream.
    package let port: UInt16
    /// What the server presented, as it did; what was validated stands in the failure.
    package let served: [[UInt8]]
    private let policy: TrustPolicy

    /// A report of what `policy` found.
    package init(_ failure: TrustFailure, port: UInt16, served: [[UInt8]], policy: TrustPolicy) {
        self.failure = failure
        self.port = port
        self.served = served
        self.policy = policy
    }

    /// What makes two reports the same: all but their time.
    package var fingerprint: Fingerprint {
        var text = ByteBuffer(capacity: 256)
        text.append("\(failure.reasonCode) \(failure.identity) \(port) ")
        text.append(policy.fingerprint.bytes.span)
        for certificate in failure.seen { text.append(certificate.fingerprint.bytes.span) }
        return Fingerprint(of: text.readable)
    }

    /// Appends the report as JSON; `now` is in seconds of Unix time.
    package func append(into buffer: inout ByteBuffer, now: Int64) {
        let host = failure.identity.description
        buffer.append(UInt8(ascii: "{"))
        buffer.append(member: "date-time", isFirst: true)
        buffer.append(json: Self.dateTime(now))
        buffer.append(member: "hostname")
        buffer.append(json: host)
        buffer.append(member: "port")
        buffer.append(decimal: UInt64(port))
        if let expires = policy.terms.expires {
            buffer.append(member: "effective-expiration-date")
            buffer.append(json: Self.dateTime(expires))
        }
        // Which hosts a policy is for is the rule file's: a report is about the one that was met.
        buffer.append(member: "include-subdomains")
        buffer.append("false")
        buffer.append(member: "noted-hostname")
        buffer.append(json: host)
        buffer.append(member: "served-certificate-chain")
        buffer.append(jsonArray: served.map(PEM.certificate))
        buffer.append(member: "validated-certificate-chain")
        buffer.append(jsonArray: failure.seen.map { PEM.certificate($0.der) })
        buffer.append(member: "known-pins")
        buffer.append(jsonArray: policy.terms.pins.keys.map { "pin-sha256=\"\($0.base64)\"" })
        buffer.append(member: "reason")
        buffer.append(json: failure.reasonCode)
        buffer.append(member: "seen")
        buffer.append(jsonArray: failure.seenLines)
        buffer.append(UInt8(ascii: "}"))
    }

    /// A moment as RFC 3339 writes it.
    private static func dateTime(_ seconds: Int64) -> String {
        let date = CivilDate(unixSeconds: seconds)
        var buffer = ByteBuffer(capacity: 24)
        date.append(into: &buffer)
        let time = UInt64(seconds - date.unixSeconds)
        for (mark, part) in [("T", time / 3600), (":", time / 60 % 60), (":", time % 60)] {
            buffer.append(mark)
            buffer.append(decimal: part, width: 2)
        }
        buffer.append("Z")
        return String(buffer.readable)
    }
}
