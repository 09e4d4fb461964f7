internal import Bytes
internal import Events
internal import Exchange
internal import HTTP
internal import Rules
internal import Telemetry
internal import Trust

extension ExchangeRunner {
    /// Writes the exchange's line (O-3): names, numbers and the target, never a value that was sent.
    func write(to log: AccessLog) {
        log.begin(unixMilliseconds: worker.loop.unixMilliseconds)
        log.add(client: record.client)
        if !exchange.request.methodBytes.isEmpty {
            log.add(.method, exchange.request.methodBytes)
            if let tunnel = record.tunnel, exchange.request.target.form == .origin {
                let origin = tunnel.text
                log.add(target: exchange.request.targetBytes, of: origin.span)
            } else {
                log.add(target: exchange.request.targetBytes)
            }
        }
        log.add(.status, UInt64(record.status))
        log.add(.bytesIn, record.bytesIn)
        log.add(.bytesOut, record.bytesOut)
        log.add(.total, worker.loop.now.since(record.began))
        log.add(.attempts, UInt64(exchange.machine.attempts))
        if let destination = exchange.machine.destination {
            log.add(.route, destination.hop.parent?.name ?? destination.hop.socks?.parent.name ?? "direct")
            // Whether it was refused under that, the reason says.
            if let security = destination.hop.tunnel?.security ?? destination.hop.security {
                log.add(.trust, security.policy.name)
            }
        }
        if let used = exchange.machine.usedCredential {
            log.add(.credential, used.credential)
            log.add(.rule, used.rule)
        }
        if let space = exchange.machine.challengedSpace { log.add(.space, space) }
        if !record.reason.isEmpty { log.add(.reason, record.reason) }
        log.end()
    }
}
