// swift-tools-version: 6.2
import PackageDescription

/// Tools for people who work on recognition; nothing in the product depends on them.
let package = Package(
  name: "EarshotTools",
  dependencies: [.package(name: "Earshot", path: "..")],
  targets: [
    .executableTarget(
      name: "earshot-train", dependencies: [.product(name: "Earshot", package: "Earshot")],
      swiftSettings: [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    .executableTarget(
      name: "earshot-follow", dependencies: [.product(name: "Earshot", package: "Earshot")],
      swiftSettings: [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    .executableTarget(
      name: "earshot-grow", dependencies: [.product(name: "Earshot", package: "Earshot")],
      swiftSettings: [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
