// swift-tools-version: 6.2
import PackageDescription

/// What the product costs, as ratios to what nobody can do without, measured in the same run.
let package = Package(
  name: "EarshotBenchmarks",
  dependencies: [.package(name: "Earshot", path: "..")],
  targets: [
    // Decoding, resampling and the Fourier transform in C, without a line of the product.
    .executableTarget(
      name: "baseline",
      linkerSettings: [
        .linkedLibrary("sndfile"), .linkedLibrary("soxr"), .linkedLibrary("fftw3f"),
        .linkedLibrary("m"),
      ]),
    .executableTarget(
      name: "earshot-benchmarks",
      dependencies: [.product(name: "Earshot", package: "Earshot")],
      swiftSettings: [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
