@_spi(Training) import EarshotMatch
import EarshotSignature
import Foundation
import Synchronization

/// How often each level was seen in its context at the peaks of each class and band, and how often
/// each shape at each level.
struct Counts: Sendable {
  var contexts = Array(repeating: 0.0, count: EvidenceTables.contextValueCount)
  var shapes = Array(repeating: 0.0, count: EvidenceTables.shapeValueCount)

  mutating func add(_ peakClass: Int, _ bin: Int, _ cell: UInt16, weight: Double = 1) {
    contexts[EvidenceTables.contextIndex(cell: cell, peakClass: peakClass, bin: bin)] += weight
    shapes[EvidenceTables.shapeIndex(cell: cell, peakClass: peakClass)] += weight
  }

  static func += (left: inout Counts, right: Counts) {
    for index in left.contexts.indices { left.contexts[index] += right.contexts[index] }
    for index in left.shapes.indices { left.shapes[index] += right.shapes[index] }
  }

  /// ln P(level | class, band, context), then ln P(shape | class, level).
  var logarithms: [Double] { contextLogarithms() + shapeLogarithms() }

  /// Smoothed by 60 counts of the table without band, and that by 60 of the one without context.
  private func contextLogarithms(smoothing: Double = 60) -> [Double] {
    var result = Array(repeating: 0.0, count: contexts.count)
    let bands = EvidenceTables.bandCount
    for peakClass in 0..<8 {
      var plain = Array(repeating: 0.5, count: 16)
      var byContext = Array(repeating: Array(repeating: 0.0, count: 16), count: 16)
      for band in 0..<bands {
        for cell in 0..<256 {
          let count = contexts[(peakClass * bands + band) * 256 + cell]
          plain[cell & 15] += count
          byContext[cell >> 4][cell & 15] += count
        }
      }
      let all = plain.reduce(0, +)
      for context in 0..<16 {
        let total = byContext[context].reduce(0, +) + smoothing
        let middle = (0..<16).map {
          (byContext[context][$0] + smoothing * plain[$0] / all) / total
        }
        for band in 0..<bands {
          let start = (peakClass * bands + band) * 256 + context * 16
          let total = contexts[start..<start + 16].reduce(0, +) + smoothing
          for level in 0..<16 {
            result[start + level] = log(
              (contexts[start + level] + smoothing * middle[level]) / total)
          }
        }
      }
    }
    return result
  }

  /// Smoothed by 60 counts of the shapes at that level and steadiness whatever the class.
  private func shapeLogarithms(smoothing: Double = 60) -> [Double] {
    var result = Array(repeating: 0.0, count: shapes.count)
    let groupCount = shapes.count / 8 / 16
    for group in 0..<groupCount {
      var plain = Array(repeating: 0.5, count: 16)
      for peakClass in 0..<8 {
        for shape in 0..<16 {
          plain[shape] += shapes[(peakClass * groupCount + group) * 16 + shape]
        }
      }
      let all = plain.reduce(0, +)
      for peakClass in 0..<8 {
        let start = (peakClass * groupCount + group) * 16
        let total = shapes[start..<start + 16].reduce(0, +) + smoothing
        for shape in 0..<16 {
          result[start + shape] = log(
            (shapes[start + shape] + smoothing * plain[shape] / all) / total)
        }
      }
    }
    return result
  }
}

/// Counts the evidence tables on excerpts whose answers are known.
struct Trainer: Sendable {
  let setup: Setup
  let folder: String

  /// The kind of sound that a condition belongs to: 0 clean, 1 middling, 2 noisy.
  static let kinds = [
    "clean": 0, "mp3-32k": 0, "phone": 0, "opus12k": 0, "quiet": 0, "speed+2": 0, "speed-4": 0,
    "tempo+4": 0, "noise10": 1, "noise5": 1, "room": 1, "clipped": 1, "noise0": 2, "noise-5": 2,
    "far": 2,
  ]

  struct Tally: Sendable {
    var right = Array(repeating: Counts(), count: 3)
    var random = Counts()
    var wrong = Counts()

    static func += (left: inout Tally, other: Tally) {
      for kind in 0..<3 { left.right[kind] += other.right[kind] }
      left.random += other.random
      left.wrong += other.wrong
    }
  }

  func train(_ excerpts: [Excerpt], from initial: [Int8]?) throws -> [Int8] {
    try tables(counted(excerpts, from: initial))
  }

  /// The counts that tables are made of, with wrong places found by tables that are there already.
  func counted(_ excerpts: [Excerpt], from initial: [Int8]?) throws -> Tally {
    let positives = excerpts.filter { !$0.reference.isEmpty }
    let first = try initial ?? tables(count(positives, with: nil), wrongShares: [0, 0])
    return try count(positives, with: EvidenceTables(values: first))
  }

  /// The tables of all that was counted, or of what is left without a part of it.
  func tables(_ tally: Tally, without ablation: Ablation? = nil) -> [Int8] {
    tables(
      ablation?.applied(to: tally) ?? tally,
      wrongShares: ablation == .wrong ? [0, 0] : [0.25, 0.5])
  }

  /// The tables of both stages, with the best wrong places' share in the null of each.
  private func tables(_ tally: Tally, wrongShares: [Double]) -> [Int8] {
    let right = tally.right.map(\.logarithms)
    let random = tally.random.logarithms
    let wrong = wrongShares.contains { $0 > 0 } ? tally.wrong.logarithms : random
    var values: [Int8] = []
    for stage in 0..<EvidenceTables.stageCount {
      let share = wrongShares[stage]
      for kind in 0..<EvidenceTables.kindCount {
        for index in 0..<EvidenceTables.valueCount {
          let null = log((1 - share) * exp(random[index]) + share * exp(wrong[index]))
          let nats = min(max(right[kind][index] - null, -4), 4)
          values.append(Int8((nats * Double(EvidenceTables.partsPerNat)).rounded()))
        }
      }
    }
    return values
  }

  private func count(_ excerpts: [Excerpt], with tables: EvidenceTables?) throws -> Tally {
    let all = Mutex(Tally())
    try concurrently(excerpts.count) { index in
      let tally = try count(excerpts[index], with: tables)
      all.withLock { $0 += tally }
      progress(index, of: excerpts.count)
    }
    return all.withLock { $0 }
  }

  private func count(_ excerpt: Excerpt, with tables: EvidenceTables?) throws -> Tally {
    var tally = Tally()
    guard let kind = Self.kinds[excerpt.condition], let truth = setup.indexOfID[excerpt.reference]
    else { return tally }
    let analyzer = try SoundFile.analyzed("\(folder)/\(excerpt.name)")
    let blank = EvidenceTables(
      values: Array(repeating: 0, count: 6 * EvidenceTables.valueCount))
    var listening = try Listening(
      setup.space, speeds: .trueSpeed, tables: tables ?? blank,
      frameCapacity: analyzer.frameCapacity)
    let family = setup.family(of: excerpt.reference)
    let isTempo = excerpt.condition.hasPrefix("tempo")
    let shift = isTempo ? 0 : Int((log2(excerpt.speed) * 72).rounded())
    let right = Alignment(
      reference: truth, offset: excerpt.offset * 62.5, binShift: shift, tempo: excerpt.speed)
    var random = RandomNumbers(seed: UInt64(truncatingIfNeeded: stableHash(excerpt.name)))
    if tables != nil {
      for look in LookSchedule.sampleCounts where look <= 160_000 {
        try listening.advance(
          to: min(AnalyzerSettings.frameCount(ofSampleCount: look), analyzer.frameCount),
          heard: look, at: analyzer)
        guard look > 16000 else { continue }
        let ranking = try listening.ranking(heard: look, excluding: family)
        let weight = 50 / Double(listening.frameCount)
        for track in ranking.prefix(10) {
          listening.peaks(at: track.alignment) {
            tally.wrong.add($0, $1, $2, weight: weight)
          }
          var shifted = track.alignment
          shifted.offset +=
            Double.random(in: 89...401, using: &random) * (Bool.random(using: &random) ? 1 : -1)
          listening.peaks(at: shifted) { tally.random.add($0, $1, $2, weight: weight) }
        }
      }
    }
    listening.take(upTo: analyzer.frameCount, at: analyzer)
    listening.peaks(at: right) { tally.right[kind].add($0, $1, $2) }
    if tables == nil {
      for _ in 0..<20 {
        let other = Int.random(in: 0..<setup.familyOfIndex.count, using: &random)
        if family.contains(other) { continue }
        let place = Alignment(
          reference: other, offset: Double.random(in: 0...6000, using: &random), binShift: 0,
          tempo: 1)
        listening.peaks(at: place) { tally.random.add($0, $1, $2) }
      }
    }
    return tally
  }
}

/// A small generator with a seed (SplitMix64), so that counting again gives the same tables.
struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

func stableHash(_ text: String) -> Int {
  text.utf8.reduce(5381) { ($0 &* 33) ^ Int($1) }
}
