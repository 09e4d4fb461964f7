/// The whole schema of the rule file.
enum Schema {
    static let top = SchemaSection(
        "the top level",
        [
            SchemaKey("version", .one(.version)).required,
            SchemaKey("include", .oneOrMore(.glob)),
            SchemaKey("listeners", .list(.section(listener), "a list of listeners")),
            SchemaKey("credentials", .names(.section(credential), "names with a credential each")),
            SchemaKey("rules", .list(.section(rule), "a list of rules")),
            SchemaKey("proxies", .names(.section(proxy), "names with a proxy each")),
            SchemaKey("routes", .list(.section(route), "a list of routes")),
            SchemaKey("trust", .list(.section(trust), "a list of trust policies")),
            SchemaKey("interception", .section(interception)),
            SchemaKey("access", .section(access)),
            SchemaKey("limits", .section(limits)),
            SchemaKey("timeouts", .section(timeouts)),
            SchemaKey("log", .section(log)),
            SchemaKey("admin", .section(admin)),
            SchemaKey("dns", .section(dns)),
            SchemaKey("http", .section(http)),
            SchemaKey("state", .one(.path)),
            SchemaKey("spool", .one(.path)),
        ],
        synonyms: [
            "listen": "listeners", "listener": "listeners", "bind": "listeners", "port": "listeners",
            "address": "listeners", "auth": "credentials", "user": "credentials", "users": "credentials",
            "username": "credentials", "password": "credentials", "logins": "credentials", "secrets": "credentials",
            "proxy": "proxies", "parent": "proxies", "parents": "proxies", "upstream": "proxies",
            "upstreams": "proxies", "gateway": "proxies", "cache_peer": "proxies",
            "noproxy": "routes (a route with 'via: direct')", "no_proxy": "routes (a route with 'via: direct')",
            "cafile": "trust", "cacert": "trust", "insecure": "trust", "tls": "trust", "pins": "trust",
            "mitm": "interception", "allow": "access", "deny": "access", "clients": "access", "acl": "access",
            "logging": "log", "metrics": "admin", "resolver": "dns", "spaces": "rules", "ledger": "state",
        ]
    )

    /// A file that another one includes: `version` may stand in it.
    static let included = SchemaSection(
        top.title,
        top.keys.map { $0.name == "version" ? SchemaKey("version", .one(.version)) : $0 },
        synonyms: top.synonyms
    )

    static let listener = SchemaSection(
        "a listener",
        [
            SchemaKey("address", .one(.listenerAddress)).required,
            SchemaKey("mode", .one(listenerMode)), SchemaKey("origin", .one(.fixedOrigin)),
            SchemaKey("names", hostPatterns), SchemaKey("target", .one(.hostAndPort)),
            SchemaKey("name", .one(.nonEmptyText)), SchemaKey("clients", clients), SchemaKey("require", require),
            SchemaKey("mode_bits", .one(.permissions)), SchemaKey("group", .one(.nonEmptyText)),
        ],
        synonyms: [
            "listen": "address", "bind": "address", "port": "address", "host": "address", "socket": "address",
            "type": "mode", "allow": "clients", "acl": "clients", "auth": "require", "upstream": "origin",
            "prefix": "origin (the prefix stands in it)",
            "permissions": "mode_bits", "umask": "mode_bits", "owner": "group", "path": "address: unix:PATH",
        ]
    )

    static let listenerMode = ScalarType.choice(["forward", "fixed", "tunnel", "transparent", "socks5"])

    static let access = SchemaSection(
        "'access'",
        [
            SchemaKey("clients", clients), SchemaKey("require", require),
            SchemaKey(
                "destinations",
                .section(
                    SchemaSection(
                        "'destinations'",
                        [SchemaKey("allow", destinations), SchemaKey("deny", destinations)],
                        synonyms: ["whitelist": "allow", "blacklist": "deny", "block": "deny"]
                    )
                )
            ),
            SchemaKey(
                "ports",
                .section(
                    SchemaSection(
                        "'ports'",
                        [SchemaKey("connect", .oneOrMore(.portOrAny)), SchemaKey("plain", .oneOrMore(.portOrAny))]
                    )
                )
            ),
        ],
        synonyms: [
            "allow": "clients (who may connect) or destinations (where to)", "deny": "destinations",
            "auth": "require", "hosts": "destinations",
        ]
    )

    static let limits = SchemaSection(
        "'limits'",
        [
            SchemaKey("connections", .one(.integer(1...10_000_000))), SchemaKey("head", .one(.size)),
            SchemaKey("fields", .one(.integer(1...10_000))), SchemaKey("target", .one(.size)),
            SchemaKey("replay_memory", .one(.size)), SchemaKey("replay_disk", .one(.size)),
            SchemaKey("replay_total", .one(.size)),
            SchemaKey("upstream_connections_per_host", .one(.integer(1...1_000_000))),
            SchemaKey("drain_on_challenge", .one(.size)),
        ]
    )

    static let timeouts = SchemaSection(
        "'timeouts'",
        [
            "connect", "handshake", "request_head", "request_body", "response_head", "response_body", "client_idle",
            "upstream_idle", "tunnel_idle", "tunnel_half", "dns",
        ].map { SchemaKey($0, .one(.duration(zero: false))) }
            + ["drain", "drain_hard"].map { SchemaKey($0, .one(.duration(zero: true))) },
        synonyms: [
            "idle": "client_idle", "read": "response_body", "response": "response_head", "tunnel": "tunnel_idle",
        ]
    )

    static let log = SchemaSection(
        "'log'",
        [
            SchemaKey("format", .one(.choice(["text", "json"]))),
            SchemaKey("level", .one(.choice(["error", "warning", "info", "debug"]))),
            SchemaKey("access", .one(.boolean)),
            SchemaKey("query", .one(.boolean)),
        ]
    )

    static let admin = SchemaSection(
        "'admin'",
        [SchemaKey("address", .one(.listenerAddress)).required, SchemaKey("hosts", hostPatterns)],
        synonyms: [
            "listen": "address", "bind": "address", "port": "address", "socket": "address", "host": "hosts",
            "names": "hosts", "hostnames": "hosts", "allowed_hosts": "hosts",
        ]
    )

    static let dns = SchemaSection(
        "'dns'",
        [
            SchemaKey("resolver", .one(.choice(["c-ares", "system"]))),
            SchemaKey("servers", .oneOrMore(.nameServer)),
        ]
    )

    static let http = SchemaSection(
        "'http'",
        [
            SchemaKey("via", .one(.token)), SchemaKey("upgrades", .oneOrMore(.token)),
            SchemaKey("userinfo", .one(.boolean)), SchemaKey("trace", .one(.boolean)),
        ]
    )

    static let interception = SchemaSection(
        "'interception'",
        [
            SchemaKey(
                "authority",
                .section(
                    SchemaSection(
                        "an authority",
                        [SchemaKey("certificate", file).required, SchemaKey("private_key", secret).required]
                    )
                )
            ),
            SchemaKey("hosts", hostPatterns), SchemaKey("except", hostPatterns),
            SchemaKey("other", .one(.choice(["tunnel", "refuse"]))),
        ],
        synonyms: ["ca": "authority", "exclude": "except"]
    )

    // MARK: types that several sections use

    static let hostPatterns = SchemaType(
        "a host pattern, or a list",
        scalar: .hostPattern,
        element: SchemaType("a host pattern", scalar: .hostPattern, section: fileSection),
        section: fileSection
    )

    static let clients = SchemaType(
        "a list of addresses, networks, listener:NAME, uid:NAME, gid:NAME or login:NAME",
        scalar: .client,
        element: .one(.client)
    )

    /// `PATH` and `{ file: PATH }` are the same.
    static let file = SchemaType("a path", scalar: .path, section: fileSection)

    static let fileSection = SchemaSection("'{ file: PATH }'", [SchemaKey("file", .one(.path)).required])

    static let require = SchemaType(
        "{ htpasswd: FILE }",
        scalar: .choice(["none"]),
        section: SchemaSection("'require'", [SchemaKey("htpasswd", file).required])
    )

    static let destinations = SchemaType(
        "a destination, or a list",
        scalar: .hostPattern,
        element: SchemaType("a destination", scalar: .hostPattern, section: destination),
        section: destination
    )

    static let destination = SchemaSection(
        "a destination",
        [
            SchemaKey("host", hostPatterns), SchemaKey("port", .one(.portOrAny)),
            SchemaKey("protocol", .one(.choice(["http", "https"]))), SchemaKey("path", .one(.pathPrefix)),
            SchemaKey("file", .one(.path)),
        ],
        synonyms: [
            "hosts": "host", "hostname": "host", "domain": "host", "address": "host", "network": "host",
            "scheme": "protocol", "ports": "port", "prefix": "path",
        ]
    )
}
