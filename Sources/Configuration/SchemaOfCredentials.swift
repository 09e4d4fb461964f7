extension Schema {
    static let credential = SchemaSection(
        "a credential",
        [
            SchemaKey("username", textOrSecret), SchemaKey("password", secret),
            SchemaKey("domain", .one(.nonEmptyText)),
            SchemaKey("password_form", .one(.choice(["plain", "md5-hex", "nt-hash"]))),
            SchemaKey("digest_ha1", secret), SchemaKey("realm", .one(.text)),
            SchemaKey("kerberos", .section(kerberos)), SchemaKey("token", secret),
            SchemaKey("oauth2", .section(oauth2)),
            SchemaKey("header", .names(headerValue, "field names with a secret each")).hidden,
            SchemaKey("certificate", file), SchemaKey("private_key", secret), SchemaKey("passphrase", secret),
            SchemaKey("pkcs12", file),
            SchemaKey("netrc", file),
            SchemaKey("helper", .list(.one(.nonEmptyText), "a list, the program first")).hidden,
            SchemaKey("persistence", .one(.choice(["session", "none"]))),
        ],
        synonyms: [
            "user": "username", "login": "username", "name": "username", "account": "username", "pass": "password",
            "passwd": "password", "pwd": "password", "secret": "password", "workgroup": "domain",
            "bearer": "token", "api_key": "header", "apikey": "header", "headers": "header", "key": "private_key",
            "keytab": "kerberos", "principal": "kerberos", "ccache": "kerberos", "cert": "certificate",
            "client_certificate": "certificate", "p12": "pkcs12", "pfx": "pkcs12", "exec": "password: { exec: … }",
            "file": "password: { file: … }", "env": "password: { env: … }", "value": "password: { value: … }",
            "systemd": "password: { systemd: … }", "ha1": "digest_ha1", "client_id": "oauth2",
            "client_secret": "oauth2", "token_endpoint": "oauth2",
        ]
    )

    /// The forms of a secret.
    static let secretForms = [
        SchemaKey("file", .one(.path)), SchemaKey("env", .one(.nonEmptyText)),
        SchemaKey("systemd", .one(.nonEmptyText)),
        SchemaKey("exec", .list(.one(.nonEmptyText), "a list, the program first")),
        SchemaKey("refresh", .one(.duration(zero: false))),
        SchemaKey("timeout", .one(.duration(zero: false))), SchemaKey("value", .one(.text)),
    ]

    static let secretSynonyms = [
        "path": "file", "environment": "env", "variable": "env", "var": "env", "command": "exec", "cmd": "exec",
        "run": "exec", "text": "value", "literal": "value", "plain": "value", "password": "value",
    ]

    static let secretSection = SchemaSection("a secret", secretForms, synonyms: secretSynonyms)

    static let secret = SchemaType(
        "a secret: { file: PATH }, { env: NAME }, { systemd: NAME }, { exec: [PROGRAM] } or { value: TEXT }",
        section: secretSection,
        isSecret: true
    )

    static let textOrSecret = SchemaType(
        "a text, or a secret such as { file: PATH }",
        scalar: .nonEmptyText,
        section: secretSection
    )

    static let headerValue = SchemaType(
        "a secret: { file: PATH }, { env: NAME }, { systemd: NAME }, { exec: [PROGRAM] } or { value: TEXT }",
        section: SchemaSection(
            "a secret",
            secretForms + [SchemaKey("prefix", .one(.text))],
            synonyms: secretSynonyms
        ),
        isSecret: true
    )

    static let kerberos = SchemaSection(
        "'kerberos'",
        [
            SchemaKey("principal", .one(.nonEmptyText)), SchemaKey("keytab", file), SchemaKey("password", secret),
            SchemaKey("ccache", .one(.nonEmptyText)), SchemaKey("spn", .one(.nonEmptyText)),
        ],
        synonyms: ["user": "principal", "username": "principal", "cache": "ccache", "pass": "password"]
    )

    static let oauth2 = SchemaSection(
        "'oauth2'",
        [
            SchemaKey("token_endpoint", .one(.url)).required, SchemaKey("client_id", textOrSecret).required,
            SchemaKey("client_secret", secret),
            SchemaKey("scopes", SchemaType("a text or a list", scalar: .text, element: .one(.text))),
            SchemaKey("auth", .one(.choice(["basic", "post", "none", "mtls"]))),
            SchemaKey("client_certificate", .one(.reference)),
            SchemaKey("parameters", .names(textOrSecret, "names with a text or a secret each")).hidden,
        ],
        synonyms: [
            "url": "token_endpoint", "token_url": "token_endpoint", "endpoint": "token_endpoint", "id": "client_id",
            "secret": "client_secret", "scope": "scopes", "auth_method": "auth",
        ]
    )
}
