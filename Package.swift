// swift-tools-version: 6.2
import PackageDescription

let fuzzing = Context.environment["COUNTERSIGN_FUZZ"] != nil

let swiftSettings: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
    ] + (fuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : [])

/// A room: a Swift module under Sources/ and its tests under Tests/, listed in dependency order.
func room(_ name: String, _ dependencies: [Target.Dependency] = [], tests: [Target.Dependency] = []) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings),
        .testTarget(
            name: "\(name)Tests",
            dependencies: [.target(name: name)] + dependencies + tests,
            swiftSettings: swiftSettings
        ),
    ]
}

/// A door: a system C library behind a module map and a header without logic.
func door(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

// The lists have types of their own: in one expression they cost the compiler minutes.
let doors: [Target] = [
    // By libkrb5-dev; its pkg-config file has flags that SwiftPM refuses.
    .systemLibrary(name: "CGSSAPI", path: "Sources/C/CGSSAPI"),
    door("CEvent", pkgConfig: "libevent_core", apt: "libevent-dev"),
    door("CAres", pkgConfig: "libcares", apt: "libc-ares-dev"),
    door("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    .systemLibrary(name: "CGetopt", path: "Sources/C/CGetopt"),
    // By libcrypt-dev and libpacparser-dev, the second of which has no pkg-config file.
    .systemLibrary(name: "CCrypt", path: "Sources/C/CCrypt"),
    .systemLibrary(name: "CPacparser", path: "Sources/C/CPacparser"),
    door("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    door("CJansson", pkgConfig: "jansson", apt: "libjansson-dev"),
]

let rooms: [[Target]] = [
    room("Bytes"),
    room("HTTP", ["Bytes"], tests: ["Support", "FuzzChecks"]),
    room("Crypto", ["Bytes", "COpenSSL", "CCrypt"]),
    room("Authentication", ["Bytes", "HTTP", "Crypto"], tests: ["Support", "FuzzChecks"]),
    room("Trust", ["Bytes", "Crypto"], tests: ["Support"]),
    room("Rules", ["Bytes", "HTTP", "Crypto", "Authentication", "Trust"]),
    room(
        "Exchange",
        ["Bytes", "HTTP", "Crypto", "Authentication", "Trust", "Rules"],
        tests: ["Support", "FuzzChecks"]
    ),
    room(
        "Configuration",
        ["Bytes", "HTTP", "Crypto", "Authentication", "Trust", "Rules", "CYAML"],
        tests: ["Support", "FuzzChecks"]
    ),
    room("Tokens", ["Bytes", "HTTP", "Crypto", "Authentication", "CJansson"], tests: ["Support", "FuzzChecks"]),
    room("Events", ["Bytes", "CEvent", "CAres"], tests: ["Support"]),
    room("TLS", ["Bytes", "Trust", "Crypto", "COpenSSL"], tests: ["Support", "FuzzChecks"]),
    room(
        "GSS",
        [
            "Bytes", "Crypto", "Authentication",
            .target(name: "CGSSAPI", condition: .when(traits: ["GSSAPI"])),
        ],
        tests: ["Support"]
    ),
    room("Telemetry", ["Bytes"]),
    room("PAC", ["Bytes", "HTTP", "CPacparser"], tests: ["Support", "FuzzChecks"]),
    room("Storage", ["Bytes", "Crypto", "Authentication"], tests: ["Support"]),
    room(
        "Proxy",
        [
            "Bytes", "HTTP", "Crypto", "Authentication", "Trust", "Rules", "Exchange", "Tokens", "Events", "TLS",
            "GSS",
            "PAC", "Telemetry", "Storage",
        ],
        tests: ["Support"]
    ),
    room("Demonstration", ["Bytes", "HTTP", "Crypto", "Authentication", "Events"]),
]

let products: [Target] = [
    .systemLibrary(name: "CGNU", path: "Tests/Support/C/CGNU"),
    .target(
        name: "Support",
        dependencies: ["CGNU"],
        path: "Tests/Support",
        exclude: ["C"],
        swiftSettings: swiftSettings
    ),
    .testTarget(name: "ProcessTests", dependencies: ["countersign", "Support"], swiftSettings: swiftSettings),
    .executableTarget(
        name: "countersign",
        dependencies: [
            "Bytes", "HTTP", "Crypto", "Authentication", "Trust", "Rules", "Exchange", "Configuration",
            "Events",
            "TLS", "GSS", "PAC", "Telemetry", "Storage", "Proxy", "Demonstration", "CGetopt",
        ],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "FuzzChecks",
        dependencies: [
            "Bytes", "HTTP", "Crypto", "Authentication", "Exchange", "Configuration", "TLS", "Tokens", "PAC",
        ],
        path: "Tests/Fuzz/Checks",
        swiftSettings: swiftSettings
    ),
]

let package = Package(
    name: "countersign",
    products: [.executable(name: "countersign", targets: ["countersign"])],
    traits: [
        .trait(name: "GSSAPI", description: "NTLM and Negotiate, by libgssapi_krb5 and gss-ntlmssp"),
        .default(enabledTraits: ["GSSAPI"]),
    ],
    targets: doors + rooms.flatMap(\.self) + products,
    swiftLanguageModes: [.v6]
)

// Fuzz targets have libFuzzer's main, so they exist only when asked for.
func fuzzTarget(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["FuzzChecks", "CFuzzer"],
        path: "Tests/Fuzz/\(name)",
        swiftSettings: swiftSettings,
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]
    )
}

if fuzzing {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Sources/C/CFuzzer"),
        fuzzTarget("HeadFuzz"),
        fuzzTarget("ChunkedFuzz"),
        fuzzTarget("TargetFuzz"),
        fuzzTarget("ChallengeFuzz"),
        fuzzTarget("NetrcFuzz"),
        fuzzTarget("HtpasswdFuzz"),
        fuzzTarget("PACFuzz"),
        fuzzTarget("CredentialHelperFuzz"),
        fuzzTarget("RuleFileFuzz"),
        fuzzTarget("ClientHelloFuzz"),
        fuzzTarget("TokenResponseFuzz"),
        fuzzTarget("SOCKSGreetingFuzz"),
    ]
}
