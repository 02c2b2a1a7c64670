@_spi(Training) import EarshotMatch
import EarshotSignature
import Foundation
import Synchronization

/// Measures how exactly a place and a speed are told, beginning near the right alignment.
struct Precision: Sendable {
  let setup: Setup
  let folder: String
  let output: String

  struct Errors: Sendable {
    /// Milliseconds and percent, of the coarse refinement and of the fit.
    var offsets: [[Double]] = [[], []]
    var tempos: [[Double]] = [[], []]
  }

  func run(_ excerpts: [Excerpt]) throws {
    for seconds in [1.0, 2.0, 5.0, 10.0] {
      let all = Mutex<[String: Errors]>([:])
      try concurrently(excerpts.count) { index in
        try measure(excerpts[index], seconds: seconds, into: all)
      }
      let errors = all.withLock { $0 }
      for condition in errors.keys.sorted() {
        guard let e = errors[condition] else { continue }
        print(
          condition.padding(toLength: 10, withPad: " ", startingAt: 0), seconds,
          (0..<2).map { "\(quantiles(e.offsets[$0])) ms \(quantiles(e.tempos[$0])) %" }
            .joined(separator: "   fit: "))
      }
    }
  }

  private func quantiles(_ values: [Double]) -> String {
    let sorted = values.map(abs).sorted()
    guard !sorted.isEmpty else { return "-" }
    let mean = values.reduce(0, +) / Double(values.count)
    return [sorted[sorted.count / 2], sorted[min(sorted.count - 1, sorted.count * 95 / 100)], mean]
      .map { String(format: "%7.3f", $0) }.joined()
  }

  private func measure(
    _ excerpt: Excerpt, seconds: Double, into all: borrowing Mutex<[String: Errors]>
  ) throws {
    guard let truth = setup.indexOfID[excerpt.reference] else { return }
    let analyzer = try SoundFile.analyzed("\(folder)/\(excerpt.name)")
    var listening = try Listening(
      setup.space, speeds: .trueSpeed, tables: .trained, frameCapacity: analyzer.frameCapacity)
    let frames = AnalyzerSettings.frameCount(ofSampleCount: Int(seconds * 16_000))
    listening.take(upTo: min(frames, analyzer.frameCount), at: analyzer)
    let isTempo = excerpt.condition.hasPrefix("tempo")
    let shift = isTempo ? 0 : Int((log2(excerpt.speed) * 72).rounded())
    var random = RandomNumbers(seed: UInt64(truncatingIfNeeded: stableHash(excerpt.name)))
    let start = Alignment(
      reference: truth,
      offset: (excerpt.offset * 62.5).rounded() + Double(Int.random(in: -1...1, using: &random)),
      binShift: shift, tempo: excerpt.speed)
    let coarse = listening.refined(start)
    let fine = listening.fitted(coarse, tempo: excerpt.speed)
    let told = (fine.seconds - excerpt.offset) * 1000
    if !output.isEmpty, seconds == 10 {
      print("#", excerpt.name, excerpt.reference, excerpt.offset, told, fine.tempo)
    }
    all.withLock { all in
      for (index, alignment) in [coarse, fine].enumerated() {
        for key in [excerpt.condition, "all"] {
          all[key, default: Errors()].offsets[index].append(
            (alignment.seconds - excerpt.offset) * 1000)
          all[key, default: Errors()].tempos[index].append(
            (alignment.tempo / excerpt.speed - 1) * 100)
        }
      }
    }
  }
}
