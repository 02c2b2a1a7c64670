// swift-tools-version: 6.2
import PackageDescription

/// The settings every room is built with: Swift 6, warnings are errors, unsafe code is marked.
let roomSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
]

/// `Span.bytes` is itself marked unsafe, so tests are built without strict memory safety.
let testSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

func room(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target
{
  .target(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: roomSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: testSettings)
}

/// The kiosk's page, each file of which becomes a part of the daemon.
let pageFiles = [
  "index.html", "page.css", "main.js", "daemon.js", "texts.js", "element.js", "screens.js",
  "prompt.js", "button.js", "privacy.js", "captions.js", "preview.js",
  "icon.svg",
]

let package = Package(
  name: "Earshot",
  products: [
    .executable(name: "earshot", targets: ["earshot"]),
    .executable(name: "earshotd", targets: ["earshotd"]),
    .library(
      name: "Earshot",
      targets: [
        "EarshotAudio", "EarshotSignature", "EarshotCatalog", "EarshotMatch", "EarshotCaptions",
        "EarshotClient",
      ]),
    // For the fuzz targets alone, which are a package of their own.
    .library(name: "EarshotParsers", targets: ["EarshotService"]),
  ],
  targets: [
    // C libraries, each imported by exactly one room.
    library("CALSA", pkgConfig: "alsa", debian: "libasound2-dev"),
    library("CCrypto", pkgConfig: "libcrypto", debian: "libssl-dev"),
    library("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
    library("CFFTW", pkgConfig: "fftw3f", debian: "libfftw3-dev"),
    library("CMicroHTTPD", pkgConfig: "libmicrohttpd", debian: "libmicrohttpd-dev"),
    library("CQREncode", pkgConfig: "libqrencode", debian: "libqrencode-dev"),
    library("CSndfile", pkgConfig: "sndfile", debian: "libsndfile1-dev"),
    library("CSoxr", pkgConfig: "soxr", debian: "libsoxr-dev"),
    library("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
    library("CSystemd", pkgConfig: "libsystemd", debian: "libsystemd-dev"),
    library("CXXHash", pkgConfig: "libxxhash", debian: "libxxhash-dev"),
    library("CSeccomp", pkgConfig: "libseccomp", debian: "libseccomp-dev"),
    .target(name: "CSandbox", dependencies: ["CSeccomp"]),

    // Rooms, in the order sound goes through them.
    room("EarshotAudio", ["CSndfile", "CSoxr"]),
    room("EarshotSignature", ["EarshotAudio", "CFFTW"]),
    room("EarshotCatalog", ["EarshotSignature", "CXXHash"]),
    room("EarshotMatch", ["EarshotSignature", "EarshotCatalog"]),
    room("EarshotStore", ["CSQLite"]),
    room(
      "EarshotConsent", ["EarshotStore", "CCrypto"],
      resources: [.embedInCode("Texts/purposes.json"), .embedInCode("Texts/words.json")]),
    room("EarshotCapture", ["EarshotAudio", "EarshotConsent", "CALSA"]),
    room("EarshotCaptions", ["EarshotMatch", "EarshotCatalog"]),
    room("EarshotLibrary", ["EarshotStore", "EarshotMatch"]),
    room("EarshotClient", ["CCurl"]),
    room(
      "EarshotSession",
      [
        "EarshotAudio", "EarshotSignature", "EarshotCatalog", "EarshotMatch", "EarshotConsent",
        "EarshotCapture", "EarshotClient", "CSandbox",
      ]),
    room(
      "EarshotService",
      [
        "EarshotConsent", "EarshotCatalog", "EarshotMatch", "EarshotCaptions", "EarshotLibrary",
        "EarshotClient", "CMicroHTTPD", "CQREncode", "CSystemd",
      ], resources: pageFiles.map { .embedInCode("Page/\($0)") }),
    room(
      "EarshotCommand",
      [
        "EarshotClient", "EarshotAudio", "EarshotSignature", "EarshotCatalog", "EarshotMatch",
        "EarshotCaptions",
      ]),

    // The two front doors.
    .executableTarget(
      name: "earshot", dependencies: ["EarshotCommand"], swiftSettings: roomSettings),
    .executableTarget(
      name: "earshotd", dependencies: ["EarshotService", "EarshotSession"],
      swiftSettings: roomSettings),

    // What several rooms' tests share: folders of their own, sound of their own.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: testSettings),

    tests("EarshotAudioTests", ["EarshotAudio"]),
    tests("EarshotSignatureTests", ["EarshotSignature", "TestSupport"]),
    tests(
      "EarshotCatalogTests", ["EarshotCatalog", "EarshotSignature", "TestSupport"],
      exclude: ["Stored"]),
    tests(
      "EarshotMatchTests", ["EarshotMatch", "EarshotSignature", "EarshotCatalog", "TestSupport"]),
    tests("EarshotStoreTests", ["EarshotStore", "TestSupport"]),
    tests("EarshotConsentTests", ["EarshotConsent", "EarshotStore", "TestSupport"]),
    tests("EarshotCaptureTests", ["EarshotCapture", "EarshotAudio", "EarshotConsent"]),
    tests(
      "EarshotSessionTests",
      ["EarshotSession", "EarshotClient", "EarshotCatalog", "EarshotSignature", "TestSupport"]),
    tests("EarshotCaptionsTests", ["EarshotCaptions", "EarshotMatch"]),
    tests("EarshotLibraryTests", ["EarshotLibrary", "EarshotStore", "TestSupport"]),
    tests("EarshotClientTests", ["EarshotClient"]),
    tests(
      "EarshotServiceTests",
      [
        "EarshotService", "EarshotClient", "EarshotConsent", "EarshotCatalog", "EarshotSignature",
        "TestSupport",
      ]),
    tests(
      "EarshotCommandTests",
      ["EarshotCommand", "EarshotCatalog", "EarshotSignature", "TestSupport"]),
    tests("HouseTests", []),
    tests(
      "EndToEndTests",
      [
        "EarshotAudio", "EarshotCapture", "EarshotCatalog", "EarshotClient", "EarshotConsent",
        "EarshotSession", "EarshotSignature", "TestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
