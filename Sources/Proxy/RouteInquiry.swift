package import Bytes
internal import Events
package import HTTP
internal import PAC
package import Rules

/// Which addresses and which ways an inspection goes by; its calls block, each within a time limit.
package struct RouteInquiry {
    private let configuration: ServerConfiguration
    private let limit: Nanoseconds

    /// An inquiry under these rules; each call takes no longer than `limit`.
    package init(_ configuration: ServerConfiguration, limit: Nanoseconds) {
        self.configuration = configuration
        self.limit = limit
    }

    // MARK: Names

    /// The addresses of a host by the rules' resolver, or the stable reason code and words why there are none.
    package func addresses(of host: String) -> Result<[IPAddress], ProbeConnection.Failure> {
        do throws(SystemError) {
            let loop = try EventLoop()
            let resolver = try Resolver(loop, NameService(configuration.dns.service))
            var answer: NameAnswer?
            switch resolver.resolve(
                host,
                within: limit,
                { told in
                    guard told.isWhole else { return }
                    answer = told
                    loop.stop()
                }
            ) {
            case .known(let known): answer = known
            case .pending:
                loop.run()
            }
            withExtendedLifetime(resolver) {}
            return Self.result(answer)
        } catch {
            return .failure(ProbeConnection.Failure("dns.failed", error.reason))
        }
    }

    private static func result(_ answer: NameAnswer?) -> Result<[IPAddress], ProbeConnection.Failure> {
        guard let answer, answer.addresses.isEmpty else { return .success(answer?.addresses ?? []) }
        let words =
            switch answer.error {
            case .notFound, nil: "the name has no address"
            case .failed, .busy: "the name can't be resolved"
            case .timedOut: "no name server answered in time"
            }
        return .failure(ProbeConnection.Failure("dns.failed", words))
    }

    /// Whether a client of this machine may have an address dialled that the name of `origin` has.
    package func mayDial(_ address: IPAddress, for origin: Origin, path: [UInt8]) -> Bool {
        let local = LocalAddresses.all()
        let access = configuration.access
        let standing = DestinationStanding(of: origin, .plain, under: access) { local.contains($0) }
        return access.destinations.reach(
            of: address,
            at: origin,
            needsAllowed: standing.needsAllowedAddress(path: path.span)
        ) { local.contains($0) }.admits(isLocal: true)
    }

    // MARK: PAC files

    /// The ways that a PAC file names for a URL, and what it said; or why there is no answer.
    package func hops(
        by pac: PACConfiguration,
        to origin: Origin,
        path: [UInt8]
    ) -> Result<(hops: [NextHop], said: String), ProbeConnection.Failure> {
        let bytes: [UInt8]
        switch pac.location {
        case .file(let path):
            switch PACFile.read(path, unless: nil) {
            case .read(let read, _): bytes = read
            case .failed(let error): return Self.refused("\(path): \(error.reason)")
            case .unchanged: bytes = []
            }
        case .url(let url, _):
            switch download(url) {
            case .success(let read): bytes = read
            case .failure(let failure): return Self.refused("\(pac.text): \(failure.text)")
            }
        }
        guard let script = PACText.script(bytes, charset: nil) else { return Self.refused("there is a NUL in it") }
        return run(script, PACLane.url(origin, path.span), origin.host).map { text in
            let result = PACResult(text.span)
            return (PACParents().hops(result.items, under: configuration), PACResult.told(text.span))
        }
    }

    private static func refused<Success>(_ words: String) -> Result<Success, ProbeConnection.Failure> {
        .failure(ProbeConnection.Failure("pac.unavailable", words))
    }

    private func download(_ url: String) -> Result<[UInt8], PACFailure> {
        var outcome: Result<[UInt8], PACFailure> = .failure(PACFailure("it can't be fetched"))
        do throws(SystemError) {
            let loop = try EventLoop()
            let connecting = ConnectingMeans(
                names: NameService(configuration.dns.service),
                contexts: TLSContexts(),
                ownAddresses: OwnAddresses(listeners: [], local: [])
            )
            let means = try connecting.on(loop)
            let download = PACDownload(url, under: configuration, by: means) { result in
                outcome = result.map(\.bytes)
                loop.stop()
            }
            download.start()
            loop.run()
            download.cancel()
        } catch {
            return .failure(PACFailure(error.reason))
        }
        return outcome
    }

    private func run(_ script: [UInt8], _ url: [UInt8], _ host: String) -> Result<[UInt8], ProbeConnection.Failure> {
        var outcome: Result<[UInt8], ProbeConnection.Failure> = Self.refused("its process ended")
        do throws(SystemError) {
            let loop = try EventLoop()
            var child: PACChild?
            child = try PACChild(loop, ["/proc/self/exe", PACEvaluator.argument], script: script) { failure in
                if let failure {
                    outcome = Self.refused(failure.text)
                    return loop.stop()
                }
                child?.ask(url: url, host: Array(host.utf8)) { result in
                    switch result {
                    case .success(let text): outcome = .success(text)
                    case .failure(let failure): outcome = Self.refused(failure.text)
                    }
                    loop.stop()
                }
            }
            loop.run()
            child?.end()
        } catch {
            return Self.refused("there can't be a process that runs it: \(error.reason)")
        }
        return outcome
    }
}
