internal import HTTP

extension LocalResponse {
    private static let challenge = Field(
        name: "Proxy-Authenticate",
        value: #"Basic realm="countersign", charset="UTF-8""#
    )

    /// The proxy wants to know who asks (R-9).
    package static var loginRequired: LocalResponse {
        LocalResponse(
            407,
            .httpRequestDenied,
            "access.login",
            "This proxy wants a login: send its name and password as Proxy-Authorization.",
            field: challenge
        )
    }

    /// The login is wrong.
    package static var loginRejected: LocalResponse {
        LocalResponse(
            407,
            .httpRequestDenied,
            "access.login-rejected",
            "This proxy knows no such login: name or password is wrong.",
            field: challenge
        )
    }

    /// Too many logins wait to be looked at.
    package static var loginBusy: LocalResponse {
        LocalResponse(
            503,
            .proxyInternalResponse,
            "access.login-busy",
            "Too many logins are being checked; try again."
        )
    }
}
