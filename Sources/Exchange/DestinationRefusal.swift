internal import HTTP
package import Rules

extension LocalResponse {
    /// The response to a request whose destination `access` doesn't let it have (RFC 9209 s.2.3.5).
    package init(_ refusal: DestinationStanding.Refusal) {
        switch refusal {
        case .port:
            self.init(403, .httpRequestDenied, "access.port", "The proxy may not be used for this port.")
        case .destination:
            self.init(
                403,
                .httpRequestDenied,
                "access.destination",
                "The proxy may not be used for this destination."
            )
        case .address:
            self.init(
                403,
                .destinationIPProhibited,
                "access.destination",
                "The proxy may not be used for the address of this destination."
            )
        }
    }
}
