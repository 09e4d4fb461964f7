import Authentication
import Bytes
import Crypto
import Testing

@testable import Tokens

/// What is sent to a token endpoint.
struct TokenRequestTests {
    private func client(
        _ authentication: OAuth2Credential.ClientAuthentication,
        secret: String? = "s3cret",
        scopes: [String] = [],
        parameters: [OAuth2Credential.Parameter] = []
    ) -> OAuth2Credential {
        OAuth2Credential(
            tokenEndpoint: "https://login.example.com/oauth2/token?v=2",
            clientID: Secret("orders"),
            clientSecret: secret.map { Secret($0) },
            scopes: scopes,
            authentication: authentication,
            parameters: parameters
        )
    }

    private func message(_ client: OAuth2Credential) throws -> [String] {
        let request = try #require(TokenRequest(for: client))
        let text = request.message.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
        return text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("A-24 the request is RFC 6749's example with the client in Basic")
    func basic() throws {
        // Section 2.3.1's client in base64, by `printf orders:s3cret | base64`.
        #expect(
            try message(client(.basic)) == [
                "POST /oauth2/token?v=2 HTTP/1.1", "Host: login.example.com", "User-Agent: countersign",
                "Accept: application/json", "Authorization: Basic b3JkZXJzOnMzY3JldA==",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: 29", "Connection: close", "",
                "grant_type=client_credentials",
            ]
        )
    }

    @Test("A-24 name and secret are form-encoded before they go into Basic")
    func encoded() throws {
        let message = try message(client(.basic, secret: "a b:%ü~"))
        // `printf 'orders:a+b%%3A%%25%%C3%%BC%%7E' | base64`
        #expect(message.contains("Authorization: Basic b3JkZXJzOmErYiUzQSUyNSVDMyVCQyU3RQ=="))
    }

    @Test(
        "A-24 without Basic the client is in the body, its secret only with post",
        arguments: [
            (.post, "grant_type=client_credentials&client_id=orders&client_secret=s3cret"),
            (.none, "grant_type=client_credentials&client_id=orders"),
            (.mtls, "grant_type=client_credentials&client_id=orders"),
        ] as [(OAuth2Credential.ClientAuthentication, String)]
    )
    func body(_ authentication: OAuth2Credential.ClientAuthentication, _ body: String) throws {
        let message = try message(client(authentication))
        #expect(message.last == body)
        #expect(message.contains("Content-Length: \(body.utf8.count)"))
        #expect(!message.contains { $0.hasPrefix("Authorization") })
    }

    @Test("A-24 scopes and parameters follow, and a parameter of the file stands in the place of ours")
    func parameters() throws {
        let parameters = [
            OAuth2Credential.Parameter(name: "audience", value: Secret("https://api.example/")),
            OAuth2Credential.Parameter(name: "grant_type", value: Secret("urn:x")),
        ]
        let message = try message(client(.basic, scopes: ["read", "write all"], parameters: parameters))
        #expect(message.last == "scope=read+write+all&audience=https%3A%2F%2Fapi.example%2F&grant_type=urn%3Ax")
    }

    @Test(
        "A-24 an endpoint that is no http URL gets no request",
        arguments: ["login", "ftp://login/", "https://u@login/"]
    )
    func noURL(_ url: String) {
        let client = OAuth2Credential(tokenEndpoint: url, clientID: Secret("orders"), clientSecret: nil)
        #expect(TokenRequest(for: client) == nil)
    }
}
