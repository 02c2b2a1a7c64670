import EarshotCatalog
import EarshotSignature
import Foundation

/// Grows a large catalog out of a small one, to measure what large ones cost.
///
///     earshot-grow --catalog SMALL.earshot --hours 1000 --output LARGE.earshot
///
/// Also `--seed N` and `--without-index`; `--signatures FOLDER` takes what earshot-train keeps instead.
///
/// The small catalog's items and signatures come first, unchanged. Then come variations of them, until
/// the hours are there: each is one signature cut into pieces of 2 to 8 s that are put together in
/// another order (the order), moved by 7 to 48 bins up or down (the pitch: 7 to 59 %), and stretched or
/// compressed by 7 to 25 % (the speed). No variation lies within what the recogniser's speeds and tempos
/// reach, so none is a right answer at the reference's own speed; but peaks come as densely, repeat as often, and
/// lie as in music.
struct Growth {
  var random: SplitMix

  /// One variation of a signature.
  mutating func variation(of signature: Signature) throws -> Signature {
    let shift = Int.random(in: 7...48, using: &random) * (Bool.random(using: &random) ? 1 : -1)
    let stretch = Double.random(in: 1.07...1.25, using: &random)
    let speed = Bool.random(using: &random) ? stretch : 1 / stretch
    var pieces: [[(frame: Int, peak: PackedPeak)]] = [[]]
    var starts = [0]
    var end = Int.random(in: 125...500, using: &random)
    PackedPeak.forEach(in: signature.packedPeaks.span) { frame, peak in
      while frame >= end {
        pieces.append([])
        starts.append(end)
        end += Int.random(in: 125...500, using: &random)
      }
      pieces[pieces.count - 1].append((frame, peak))
    }
    starts.append(max(signature.frameCount, starts[starts.count - 1] + 1))
    var words: [UInt16] = []
    var previous = 0
    var piecesEnd = 0.0
    for number in pieces.indices.shuffled(using: &random) {
      let moved = pieces[number].compactMap {
        frame, peak -> (frame: Int, bin: Int, peak: PackedPeak)? in
        let bin = peak.bin + shift
        guard bin >= 0, bin < AnalyzerSettings.binCount else { return nil }
        return (Int(piecesEnd + Double(frame - starts[number]) * speed), bin, peak)
      }
      for (frame, bin, peak) in moved.sorted(by: { ($0.frame, $0.bin) < ($1.frame, $1.bin) }) {
        var step = frame - previous
        while step >= PackedPeak.escapeStep {
          let skipped = min(step, PackedPeak.escapeFrameCountMax)
          words.append(PackedPeak(escapeOverFrames: skipped).word)
          step -= skipped
        }
        words.append(
          PackedPeak(
            bin: bin, strength: peak.peakClass & 3, isRepeated: peak.peakClass & 4 != 0, step: step
          ).word)
        previous = frame
      }
      piecesEnd += Double(starts[number + 1] - starts[number]) * speed
    }
    let frames = Int(piecesEnd) + 2
    return try Signature(
      sampleCount: AnalyzerSettings.windowSampleCount + frames * AnalyzerSettings.hopSampleCount,
      packedPeaks: words, settingsDigest: AnalyzerSettings.digest)
  }
}

/// Random numbers from a seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }
}

/// The signatures of a folder of `.peaks` files, as earshot-train keeps them.
func signatures(inFolder folder: String) throws -> [(id: String, signature: Signature)] {
  try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
    let data = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
    let words = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    let count = words.prefix(4).reversed().reduce(0) { $0 << 16 | Int($1) }
    let signature = try Signature(
      sampleCount: count, packedPeaks: Array(words.dropFirst(4)),
      settingsDigest: AnalyzerSettings.digest)
    return (String(name.prefix { $0 != "." }), signature)
  }
}

func grow(_ flags: [String: String], hours: Double, output: String) throws {
  var source: [(id: String, signature: Signature)]
  if let path = flags["--catalog"] {
    let catalog = try Catalog(path: path)
    source = try (0..<catalog.itemCount).map {
      (try catalog.item($0).id, try catalog.signature(catalog.signatureIndex(ofItem: $0)))
    }
  } else {
    source = try signatures(inFolder: flags["--signatures"] ?? ".")
  }
  var growth = Growth(random: SplitMix(state: UInt64(flags["--seed"] ?? "1") ?? 1))
  var writer = try CatalogWriter(path: Array(output.utf8))
  if flags["--without-index"] != nil { writer.indexChoice = .never }
  var seconds = 0.0
  for (id, signature) in source {
    let place = try writer.append(signature)
    try writer.append(MediaItem(id: id, title: id), signatureIndex: place)
    seconds += signature.duration
  }
  source.removeAll { $0.signature.duration < 10 }
  var number = 0
  while seconds < hours * 3600 {
    let original = source[number % source.count]
    let signature = try growth.variation(of: original.signature)
    let place = try writer.append(signature)
    try writer.append(
      MediaItem(id: "variation-\(number)-of-\(original.id)", title: "Variation \(number)"),
      signatureIndex: place)
    seconds += signature.duration
    number += 1
  }
  FileHandle.standardError.write(Data("\(number) variations; building the index\n".utf8))
  try writer.finish()
  let grown = try Catalog(path: output)
  let perHour = Double(grown.byteCount) / 1e6 / (grown.duration / 3600)
  print("\(grown.itemCount) items, \(grown.duration / 3600) h, \(perHour) MB an hour")
}

var flags: [String: String] = [:]
var rest = CommandLine.arguments.dropFirst().makeIterator()
while let name = rest.next() {
  flags[name] = name == "--without-index" ? "" : rest.next() ?? ""
}
guard let output = flags["--output"], let hours = Double(flags["--hours"] ?? "") else {
  FileHandle.standardError.write(
    Data(
      "usage: earshot-grow (--catalog FILE | --signatures FOLDER) --hours N --output FILE\n".utf8))
  exit(64)
}
try grow(flags, hours: hours, output: output)
