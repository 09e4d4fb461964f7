internal import Authentication
internal import Exchange
internal import Rules

extension DestinationTable {
    /// The protection spaces that were learned, of origins and of parents.
    var spaces: [StatusReport.Space] {
        let origins = known.flatMap { destination in
            destination.learned.snapshot.map { Self.space($0, of: destination.serverName, destination.candidates) }
        }
        let parents = knownParents.flatMap { hop in
            hop.learned.snapshot.map { Self.space($0, of: hop.serverName, hop.candidates) }
        }
        return origins + parents
    }

    /// A realm is told only where a rule names it: any other may be an echo of a secret that was sent (S-5).
    private static func space(
        _ space: LearnedSpace,
        of server: String,
        _ candidates: CandidateRules
    ) -> StatusReport.Space {
        let realm = space.realm.flatMap { candidates.nameRealm($0) ? String(decoding: $0, as: UTF8.self) : nil }
        return StatusReport.Space(
            server: server,
            realm: realm,
            method: space.method.name,
            credential: space.credential.name,
            rule: candidates.rule(at: space.ruleIndex)?.name ?? ""
        )
    }
}
