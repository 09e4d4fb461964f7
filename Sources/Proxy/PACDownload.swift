internal import Bytes
internal import Crypto
internal import Events
internal import Exchange
internal import HTTP
internal import PAC
internal import Rules

/// Fetches a PAC file once, directly and under its host's trust policy (T-7).
final class PACDownload {
    /// What came of it: the bytes and the charset that the server names, or one sentence.
    typealias Told = (Result<(bytes: [UInt8], charset: String?), PACFailure>) -> Void

    /// How long it may take in all.
    static let patience: Nanoseconds = .seconds(5)

    private var request: EndpointRequest?
    private var deadline: Timer?
    private let told: Told

    /// `told` is called once, possibly before `start` has returned; where it is dropped first, never.
    init(
        _ url: String,
        under configuration: ServerConfiguration,
        by means: DirectConnection.Means,
        told: @escaping Told
    ) {
        self.told = told
        guard let resource = ResourceURL(url) else { return }
        let origin = resource.origin
        let peer = DirectConnection.Peer(
            origin: origin,
            security: origin.scheme == .https ? configuration.security(of: origin, showing: nil) : nil,
            timeouts: configuration.timeouts
        )
        var head = ByteBuffer()
        head.append("GET ")
        head.append(resource.target.span)
        head.append(" HTTP/1.1\r\nHost: \(origin.authority)\r\n")
        head.append("Accept: application/x-ns-proxy-autoconfig, */*\r\nConnection: close\r\n\r\n")
        let message = EndpointRequest.Message(
            method: .get,
            bytes: Secret(head.readable),
            timeout: min(configuration.timeouts.responseHead, Self.patience),
            longestBody: PACText.longest
        )
        request = EndpointRequest(message, to: peer, by: means) { [unowned self] failure, response in
            if let failure {
                finish(.failure(PACFailure(failure.text)))
            } else {
                take(response)
            }
        }
        deadline = Timer(means.loop, after: Self.patience) { [unowned self] in
            finish(.failure(PACFailure("it didn't answer in time")))
        }
    }

    func start() {
        guard let request else { return finish(.failure(PACFailure("it is no http or https URL"))) }
        request.start()
    }

    /// Ends it untold.
    func cancel() {
        deadline = nil
        request?.cancel()
        request = nil
    }

    private func take(_ response: borrowing WholeResponse) {
        guard response.head.status == 200 else {
            return finish(.failure(PACFailure("it answered \(response.head.status)")))
        }
        let type = response.head.fields.first(named: "content-type")
        let charset = type.flatMap { PACText.charset(in: response.head.fields.value($0)) }
        finish(.success((response.body, charset)))
    }

    private func finish(_ result: Result<(bytes: [UInt8], charset: String?), PACFailure>) {
        // What is still under way would tell somebody who is gone.
        cancel()
        told(result)
    }
}

/// Why a PAC file can't be had, in one clause.
struct PACFailure: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
