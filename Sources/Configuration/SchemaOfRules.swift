extension Schema {
    static let rule = SchemaSection(
        "a rule",
        [
            SchemaKey("space", .section(space)).required, SchemaKey("use", .one(.reference)),
            SchemaKey("disposition", .one(.choice(["default", "reject", "cancel"]))), SchemaKey("clients", clients),
            SchemaKey("preempt", preempt), SchemaKey("max_failures", .one(.integer(1...1000))),
            SchemaKey("withhold", .one(.withholding)), SchemaKey("cleartext", cleartext),
            SchemaKey("cross_site", .one(.boolean)),
            SchemaKey("client_credential", .one(.choice(["keep", "replace", "refuse"]))),
            SchemaKey("placeholder", .one(.nonEmptyText)).hidden,
            SchemaKey("charset", .one(.choice(["utf-8", "latin-1"]))), SchemaKey("verify_server", .one(.boolean)),
        ],
        synonyms: [
            "user": "use", "credential": "use", "credentials": "use", "auth": "use", "login": "use",
            "action": "disposition", "overwrite": "client_credential: replace",
            "override": "client_credential: replace", "insecure": "cleartext", "allow_http": "cleartext",
            "preemptive": "preempt", "encoding": "charset", "from": "clients", "via": "routes (a section of its own)",
            "upgrade": "routes (a section of its own)", "upstream": "routes (a section of its own)",
            "retries": "max_failures", "dummy": "placeholder",
        ]
    )

    static let space = SchemaSection(
        "a space",
        [
            SchemaKey("host", hostPatterns).required, SchemaKey("port", .one(.portOrAny)),
            SchemaKey("protocol", .one(.choice(["http", "https"]))), SchemaKey("proxy", .one(.boolean)),
            SchemaKey(
                "realm",
                SchemaType(
                    "a realm, a list of realms, or { prefix: TEXT }",
                    scalar: .text,
                    element: .one(.text),
                    section: SchemaSection("'realm'", [SchemaKey("prefix", .one(.nonEmptyText)).required])
                )
            ),
            SchemaKey("method", .oneOrMore(.method)), SchemaKey("path", .one(.pathPrefix)),
        ],
        synonyms: [
            "hosts": "host", "hostname": "host", "domain": "host", "url": "host", "origin": "host", "server": "host",
            "scheme": "protocol", "is_proxy": "proxy", "parent": "proxy", "upstream": "proxy", "gateway": "proxy",
            "auth": "method", "methods": "method", "schemes": "method", "realms": "realm", "paths": "path",
        ]
    )

    static let preempt = SchemaType.one(.choice(["learned", "always", "never"]))

    static let cleartext = SchemaType(
        ScalarType.cleartext.expected,
        scalar: .cleartext,
        element: .one(.choice(AuthenticationWords.cleartext))
    )

    static let proxy = SchemaSection(
        "a proxy",
        [
            SchemaKey("url", .one(.proxyURL)).required, SchemaKey("use", .oneOrMore(.reference)),
            SchemaKey("method", .oneOrMore(.method)), SchemaKey("cleartext", cleartext),
            SchemaKey("preempt", preempt), SchemaKey("max_failures", .one(.integer(1...1000))),
            SchemaKey("withhold", .one(.withholding)), SchemaKey("via", .one(.reference)),
        ],
        synonyms: [
            "host": "url", "address": "url", "server": "url", "upstream": "url", "parent": "url", "gateway": "url",
            "uri": "url", "port": "url (the port stands in it)", "user": "use (a credential's name)",
            "username": "use (a credential's name)", "pass": "use (a credential's name)",
            "password": "use (a credential's name)", "auth": "use (a credential's name)",
            "credential": "use", "credentials": "use", "login": "use (a credential's name)",
            "noproxy": "routes (a route with 'via: direct')", "no_proxy": "routes (a route with 'via: direct')",
        ]
    )

    static let route = SchemaSection(
        "a route",
        [
            SchemaKey("host", hostPatterns), SchemaKey("port", .one(.portOrAny)),
            SchemaKey("protocol", .one(.choice(["http", "https"]))),
            SchemaKey(
                "via",
                SchemaType("'direct', a proxy's name, or a list of them", scalar: .routeVia, element: .one(.routeVia))
            ),
            SchemaKey("upgrade", .one(.upgrade)),
            SchemaKey(
                "to",
                .section(
                    SchemaSection(
                        "'to'",
                        [SchemaKey("address", .one(.ipAddress)), SchemaKey("port", .one(.port))],
                        synonyms: ["host": "address", "ip": "address"]
                    )
                )
            ),
            SchemaKey("pac", SchemaType("{ file: PATH } or { url: URL }", section: pac)),
            SchemaKey("environment", .one(.boolean)),
        ],
        synonyms: [
            "hosts": "host", "hostname": "host", "domain": "host", "proxy": "via", "parent": "via", "upstream": "via",
            "gateway": "via", "proxies": "via", "scheme": "protocol", "tls": "upgrade", "connect_to": "to",
            "address": "to", "noproxy": "via: direct (with the hosts under 'host')",
            "no_proxy": "via: direct (with the hosts under 'host')", "use": "rules (a section of its own)",
            "env": "environment", "wpad": "pac", "proxy_pac": "pac", "autoconfig": "pac",
        ]
    )

    static let pac = SchemaSection(
        "'pac'",
        [
            SchemaKey("file", .one(.path)), SchemaKey("url", .one(.url)),
            SchemaKey("refresh", .one(.duration(zero: false))),
        ],
        synonyms: ["path": "file", "interval": "refresh", "uri": "url"]
    )

    static let trust = SchemaSection(
        "a trust policy",
        [
            SchemaKey("host", hostPatterns).required, SchemaKey("port", .one(.portOrAny)),
            SchemaKey("pinning", .one(.choice(["none", "public-key", "certificate", "observe"]))),
            SchemaKey(
                "pins",
                .list(
                    SchemaType(
                        "a pin",
                        scalar: .pin,
                        section: SchemaSection("'{ certificate: FILE }'", [SchemaKey("certificate", file).required])
                    ),
                    "a list of pins"
                )
            ), SchemaKey("validates_domain_name", .one(.boolean)),
            SchemaKey("allow_invalid_certificates", .one(.boolean)), SchemaKey("strict", .one(.boolean)),
            SchemaKey(
                "anchors",
                SchemaType(
                    "'system', { file: PEM }, or a list of both",
                    scalar: .choice(["system"]),
                    element: SchemaType("'system' or { file: PEM }", scalar: .choice(["system"]), section: fileSection),
                    section: fileSection
                )
            ), SchemaKey("enforce", .one(.boolean)), SchemaKey("expires", .one(.date)), SchemaKey("report", .one(.url)),
            SchemaKey("minimum_tls", .one(.choice(["1.2", "1.3"]))),
            SchemaKey("maximum_tls", .one(.choice(["1.2", "1.3"]))), SchemaKey("ciphers", .one(.nonEmptyText)),
            SchemaKey("groups", .one(.nonEmptyText)),
            SchemaKey(
                "revocation",
                SchemaType(
                    "'off', 'staple', 'must-staple' or { crl: FILE }",
                    scalar: .choice(["off", "staple", "must-staple"]),
                    section: SchemaSection("'revocation'", [SchemaKey("crl", file).required])
                )
            ), SchemaKey("tunnel", .one(.choice(["refuse", "pass"]))),
        ],
        synonyms: [
            "cafile": "anchors", "ca": "anchors", "cacert": "anchors", "insecure": "allow_invalid_certificates",
            "verify": "allow_invalid_certificates", "pin": "pins", "hosts": "host", "min_tls": "minimum_tls",
            "max_tls": "maximum_tls", "curves": "groups",
        ]
    )
}
