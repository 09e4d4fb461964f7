internal import Authentication
package import Crypto
internal import HTTP

/// Answers that cover the body (qop auth-int), for which it is read whole before the head goes.
extension ExchangeStateMachine {
    /// The side whose prepared answer covers the body and has no hash of it yet, the parent's first.
    private var sideWithoutBodyHash: Side? {
        if parent.coversBody && parent.bodyHash == nil { return .parent }
        if origin.coversBody && origin.bodyHash == nil { return .origin }
        return nil
    }

    /// A body hash is part of a prepared answer and isn't known yet.
    var needsBodyHash: Bool { hasBody && sideWithoutBodyHash != nil }

    /// The algorithm of the hash over the body that the prepared answer needs.
    package var bodyHashAlgorithm: DigestAlgorithm {
        guard let side = sideWithoutBodyHash, case .digest(let challenge)? = self[side].prepared?.value else {
            return .md5
        }
        return challenge.algorithm
    }

    /// The whole body is kept; `hash` is over it, by `bodyHashAlgorithm`.
    package mutating func bodyCollected(hash: [UInt8]) -> Step {
        if let side = sideWithoutBodyHash { self[side].bodyHash = hash }
        return proceed()
    }

    /// The body that a hash was wanted over turned out too large to be kept: no further leg can carry it (B-4).
    package mutating func bodyNotKept() -> Step {
        isBodyKept = false
        return bodyTooLarge()
    }

    /// The body is longer than what may be kept, and nothing of it was sent: the offer is passed over.
    package mutating func bodyTooLarge() -> Step {
        guard let side = sideWithoutBodyHash else { return proceed() }
        self[side].plan = .none
        self[side].prepared = nil
        self[side].reason = .bodyNotKept
        return answerNextOffer(side)
    }
}

extension LocalResponse {
    /// The body was too large, or the disk too full (B-4).
    static var bodyNotKept: LocalResponse {
        LocalResponse(
            502,
            .httpRequestDenied,
            "body.not-kept",
            "The request's body was too large to be kept for a second answer."
        )
    }
}
