package import Crypto

/// A client that gets its tokens from an endpoint [RFC 6749, section 4.4].
package struct OAuth2Credential: Sendable {
    /// How the client shows who it is [RFC 6749, section 2.3; RFC 8705].
    package enum ClientAuthentication: Equatable, Sendable {
        case basic, post, none, mtls
    }

    /// A further parameter of the request.
    package struct Parameter: Equatable, Sendable {
        package let name: String
        package let value: Secret

        package init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// The http or https URL.
    package let tokenEndpoint: String
    package let clientID: Secret
    package let clientSecret: Secret?
    package let scopes: [String]
    package let authentication: ClientAuthentication
    /// The credential whose certificate the endpoint is shown.
    package let clientCertificate: Credential?
    /// In the order of the file.
    package let parameters: [Parameter]

    /// A client in all its parts.
    package init(
        tokenEndpoint: String,
        clientID: Secret,
        clientSecret: Secret?,
        scopes: [String] = [],
        authentication: ClientAuthentication = .basic,
        clientCertificate: Credential? = nil,
        parameters: [Parameter] = []
    ) {
        self.tokenEndpoint = tokenEndpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.authentication = authentication
        self.clientCertificate = clientCertificate
        self.parameters = parameters
    }

    /// Whether both ask the same endpoint for the same.
    package func isSame(as other: OAuth2Credential) -> Bool {
        guard tokenEndpoint == other.tokenEndpoint, clientID == other.clientID, scopes == other.scopes else {
            return false
        }
        guard clientSecret == other.clientSecret, authentication == other.authentication else { return false }
        let certificates = (clientCertificate, other.clientCertificate)
        guard parameters == other.parameters, (certificates.0 == nil) == (certificates.1 == nil) else { return false }
        guard let left = certificates.0, let right = certificates.1 else { return true }
        return left.hasSameSecret(as: right)
    }
}
