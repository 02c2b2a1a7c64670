import Foundation

/// `earshot catalog create` against decoding, resampling and the Fourier transform alone.
///
/// Both run as programs of their own over the same files on all cores, in turns, so that a busy
/// machine slows both down.
struct CreateBenchmark {
  let earshot: String
  let baseline: String
  let files: [String]
  var turns = 5

  func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-benchmark-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let catalog = "\(folder)/made.earshot"
    var ratios: [Double] = []
    var (seconds, created, alone) = (0.0, [Double](), [Double]())
    for _ in 0..<turns {
      try? FileManager.default.removeItem(atPath: catalog)
      let ours = try Cost.of(earshot, ["catalog", "create", "--output", catalog, "--"] + files)
      let theirs = try Cost.of(baseline, files)
      seconds = Double(theirs.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
      guard seconds > 0 else { throw Fault.noSound(files: files.count) }
      ratios.append(ours.processor / theirs.processor)
      created.append(ours.processor)
      alone.append(theirs.processor)
    }
    let bytes =
      try FileManager.default.attributesOfItem(atPath: catalog)[.size] as? Int ?? 0
    let hours = seconds / 3600
    print(
      "create: \(files.count) files, \(text(hours)) h of sound; CPU \(text(median(created))) s, decoding,"
        + " resampling and FFT alone \(text(median(alone))) s;"
        + " ratio \(text(median(ratios))) (\(text(ratios.min() ?? 0)) to \(text(ratios.max() ?? 0)));"
        + " \(text(seconds / median(created))) x real time a core;"
        + " \(text(Double(bytes) / 1e6 / hours)) MB an hour")
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}

func text(_ value: Double) -> String { String(format: "%.2f", value) }
