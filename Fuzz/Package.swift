// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because a fuzz target has no main function and would break the product's
// build. Build it with: swift build -c release --sanitize=fuzzer

/// One fuzz target: libFuzzer brings the main function, and looks for ours by its C name.
func fuzz(_ name: String, _ claims: String) -> Target {
  .executableTarget(
    name: name, dependencies: [.byName(name: claims)],
    swiftSettings: [.unsafeFlags(["-parse-as-library"]), .treatAllWarnings(as: .error)])
}

let package = Package(
  name: "Fuzz",
  dependencies: [.package(name: "Earshot", path: "..")],
  targets: [
    .target(
      name: "CaptionClaims", dependencies: [.product(name: "Earshot", package: "Earshot")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .systemLibrary(name: "CFuzzHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .target(
      name: "CatalogClaims",
      dependencies: [.product(name: "Earshot", package: "Earshot"), "CFuzzHash"],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(
      name: "ServiceClaims",
      dependencies: [.product(name: "EarshotParsers", package: "Earshot")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    fuzz("FuzzCaptionText", "CaptionClaims"),
    fuzz("FuzzCatalog", "CatalogClaims"),
    fuzz("FuzzIndex", "CatalogClaims"),
    fuzz("FuzzPurposes", "ServiceClaims"),
    fuzz("FuzzRequests", "ServiceClaims"),
    fuzz("FuzzSearch", "CatalogClaims"),
    fuzz("FuzzSettings", "ServiceClaims"),
    fuzz("FuzzSubRip", "CaptionClaims"),
    fuzz("FuzzTimedText", "CaptionClaims"),
    fuzz("FuzzWebVTT", "CaptionClaims"),
  ],
  swiftLanguageModes: [.v6]
)
